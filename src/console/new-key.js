import { byId, copy } from './page.js';

/** Whether the page shows a new key that was not copied. */
let isUncopied = false;

export const hasUncopiedKey = () => isUncopied;

/** Shows a new key. @param {string} key */
export function showNewKey(key) {
  byId('new-key-text').textContent = key;
  byId('new-key').hidden = false;
  byId('new-key-title').focus();
  isUncopied = true;
}

export function hideNewKey() {
  byId('new-key-text').textContent = '';
  byId('new-key').hidden = true;
  isUncopied = false;
}

/** Returns the new key on the page, or an empty text. */
const shownKey = () => byId('new-key-text').textContent;

/** Copies a text, which may contain the new key. @param {string} text */
export async function copyWithKey(text) {
  await copy(text);
  if (isUncopied && text.includes(shownKey())) isUncopied = false;
}

byId('copy-new-key').addEventListener('click', () => void copyWithKey(shownKey()));
document.addEventListener('copy', () => {
  if (document.getSelection()?.toString().includes(shownKey())) isUncopied = false;
});
window.addEventListener('beforeunload', (event) => {
  if (isUncopied) event.preventDefault();
});
