import { byId } from './page.js';

/** The keys that the page holds in full, oldest first, with their texts in the list. */
const known = new Map();

const list = () => byId('call-key', HTMLSelectElement);

/** Returns the selected key, for the call and the explorer. */
export const callKey = () => list().value;

/** Adds a key and selects it. @param {string} key @param {string} label */
export function addCallKey(key, label) {
  known.set(key, `${label || '(no label)'} (${key.slice(0, 9)}…)`);
  showList(key);
}

/** Removes the keys that are no longer active. @param {string[]} starts the starts of the active keys */
export function keepCallKeys(starts) {
  const chosen = callKey();
  for (const key of known.keys()) if (!starts.some((start) => key.startsWith(start))) known.delete(key);
  showList(chosen);
}

export function forgetCallKeys() {
  known.clear();
  showList('');
}

/** @param {string} chosen */
function showList(chosen) {
  const options = [...known].map(([key, text]) => new Option(text, key, false, key === chosen));
  list().replaceChildren(...options);
  byId('call-key-choice').hidden = known.size < 2;
}
