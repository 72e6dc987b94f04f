/**
 * @template {typeof HTMLElement} T
 * @param {string} id
 * @param {T} [type]
 * @returns {InstanceType<T>}
 */
export function byId(id, type = /** @type {T} */ (HTMLElement)) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`no ${type.name} has the id ${id}`);
  return /** @type {InstanceType<T>} */ (found);
}

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/**
 * Passes the value of a form's first field to an action. The browser shows errors at the field.
 *
 * @param {string} formId
 * @param {string} fieldId
 * @param {(value: string) => Promise<void>} action
 */
export function onSubmit(formId, fieldId, action) {
  const form = byId(formId, HTMLFormElement);
  const field = byId(fieldId, HTMLInputElement);
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('button'));
  // Before the browser validates the form, also by the Enter key.
  button.addEventListener('click', () => field.setCustomValidity(''));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await action(field.value.trim());
      form.reset();
    } catch (error) {
      field.setCustomValidity(messageOf(error));
      field.reportValidity();
    }
    button.disabled = false;
  });
}

/** Asks whether to revoke a key, and returns the answer. @param {string} question @returns {Promise<boolean>} */
export function ask(question) {
  const dialog = byId('question', window.HTMLDialogElement);
  byId('question-text').textContent = question;
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
