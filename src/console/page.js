/**
 * Returns the element with an id.
 *
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

/**
 * Shows a message for a few seconds.
 *
 * @param {string} text
 */
export function showStatus(text) {
  const status = byId('status');
  status.textContent = text;
  setTimeout(() => {
    if (status.textContent === text) status.textContent = '';
  }, 6000);
}

/**
 * Passes the value of a form's only field to an action. Shows errors of the action beside the field.
 *
 * @param {string} formId
 * @param {string} fieldId
 * @param {string} missing the error for an empty field
 * @param {(value: string) => Promise<void>} action
 */
export function onSubmit(formId, fieldId, missing, action) {
  const form = byId(formId);
  const field = byId(fieldId, HTMLInputElement);
  const showError = (/** @type {string} */ text) => {
    byId(`${fieldId}-error`).textContent = text;
    field.setAttribute('aria-invalid', String(text !== ''));
    if (text !== '') field.focus();
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (form.ariaBusy === 'true') return;
    const value = field.value.trim();
    if (value === '') return showError(missing);
    showError('');
    form.ariaBusy = 'true';
    try {
      await action(value);
      field.value = '';
    } catch (error) {
      showError(messageOf(error));
    } finally {
      form.ariaBusy = 'false';
    }
  });
}

/**
 * Asks a question, and calls an action if the answer is yes.
 *
 * @param {{ title: string, text: string, yes: string, no: string }} question
 * @param {() => void} action
 */
export function ask({ title, text, yes, no }, action) {
  byId('question-title').textContent = title;
  byId('question-text').textContent = text;
  byId('yes').textContent = yes;
  byId('no').textContent = no;
  // The event `close` fires later, and could answer the next question.
  byId('answer').onsubmit = ({ submitter }) => {
    if (submitter?.id === 'yes') action();
  };
  byId('question', HTMLDialogElement).showModal();
}

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/**
 * Copies a text and shows a message. Without access to the clipboard API, as over plain HTTP, copies a selection.
 *
 * @param {string} text
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const focused = document.activeElement;
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
  showStatus('Copied.');
}
