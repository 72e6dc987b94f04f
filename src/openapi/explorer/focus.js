/** Keeps the focus in an open dialog, and returns it when Swagger UI removes or disables the element that has it. */
export function keepFocus(root) {
  /** The element outside of a dialog that had the focus last, and its operation, unless the visitor has left it. */
  let [last, operation] = [];
  const findDialog = () => root.querySelector('.modal-ux');
  const focusDialog = () => findDialog().querySelector('input, .auth-btn-wrapper button').focus();

  root.addEventListener('focusin', ({ target }) => {
    if (!findDialog()) [last, operation] = [target, target.closest('.opblock')];
    else if (!findDialog().contains(target)) focusDialog();
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (!findDialog() && !last?.contains(target)) [last, operation] = [];
  });
  const restore = () => {
    if (document.activeElement !== document.body) return;
    const focused = last?.isConnected ? last : operation?.querySelector('.execute');
    if (findDialog()) focusDialog();
    else focused?.focus({ preventScroll: true });
  };
  new MutationObserver(restore).observe(root, {
    attributeFilter: ['disabled'],
    childList: true,
    subtree: true,
  });
}
