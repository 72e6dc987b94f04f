/** Attributes that elements of Swagger UI lack: a selector, a name, and a value, by default that of the parameter. */
const ATTRIBUTES = [
  ['.information-container > section', 'aria-label', 'Document'],
  ['.scheme-container > section', 'aria-label', 'Access'],
  ['#servers', 'aria-label', 'Server'],
  ['[data-param-name] :is(input, select)', 'aria-label'],
  ['textarea', 'aria-label', 'Request body'],
  ['.modal-ux', 'role', 'dialog'],
  ['.modal-ux', 'aria-modal', 'true'],
  ['.modal-ux', 'aria-label', 'Available authorizations'],
  ['.validation-errors', 'role', 'alert'],
  ['.auth-container input', 'aria-label', 'Value'],
  ['.auth-container input', 'autocomplete', 'off'],
  ['.close-modal', 'aria-label', 'Close'],
  ['[aria-label="Apply credentials"]', 'aria-label', 'Authorize'],
  ['[aria-label="Remove authorization"]', 'aria-label', 'Logout'],
  ['.dialog-ux h3', 'aria-level', '2'],
  ['.dialog-ux h4', 'aria-level', '3'],
  ['.dialog-ux h6', 'aria-level', '4'],
  // They have no names, and stand beside texts or in buttons with names.
  ['svg', 'aria-hidden', 'true'],
  // Long texts scroll, also by the keyboard.
  ['.live-responses-table .microlight', 'tabindex', '0'],
  // Without a name, a table is no region.
  ['table[role=region]', 'role', 'table'],
  // Of the document. A reader would take it for that of the animals.
  ['.info__license', 'hidden', ''],
];

/** Completes the attributes whenever Swagger UI adds elements. */
export function completeAttributes(root) {
  const complete = () => {
    for (const [selector, name, value] of ATTRIBUTES) {
      for (const element of root.querySelectorAll(selector)) {
        element.setAttribute(name, value ?? element.closest('[data-param-name]').dataset.paramName);
      }
    }
  };
  new MutationObserver(complete).observe(root, { childList: true, subtree: true });
}
