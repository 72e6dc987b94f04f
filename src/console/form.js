import { showStatus } from './copy.js';

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

const BUSY = 'Please wait…';

/**
 * Passes the value of a form's only field to an action. Shows errors beside the field, and that the form is busy.
 *
 * @param {string} formId
 * @param {string} fieldId
 * @param {string} missing the error for an empty field
 * @param {(value: string) => Promise<void>} action
 */
export function onSubmit(formId, fieldId, missing, action) {
  const form = byId(formId, HTMLFormElement);
  const field = byId(fieldId, HTMLInputElement);
  const showError = (/** @type {string} */ text) => {
    byId(`${fieldId}-error`).textContent = text;
    field.setAttribute('aria-invalid', String(text !== ''));
    if (text !== '') field.focus();
  };
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('button'));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const value = field.value.trim();
    showError(value === '' ? missing : '');
    if (value === '') return;
    form.ariaBusy = 'true';
    button.disabled = true;
    const announcement = setTimeout(() => showStatus(BUSY), 500);
    try {
      await action(value);
      field.value = '';
    } catch (error) {
      showError(messageOf(error));
    } finally {
      clearTimeout(announcement);
      if (byId('status').textContent === BUSY) showStatus('');
      form.ariaBusy = 'false';
      button.disabled = false;
    }
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
