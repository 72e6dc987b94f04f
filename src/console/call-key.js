import { byId } from './page.js';

/** The keys that the page has in full, in the order in which it got them: by their text, what the list shows. */
const known = new Map();

const list = () => byId('call-key', HTMLSelectElement);

/** The key that the call and the explorer use. */
export const callKey = () => list().value;

/** Adds a key and chooses it. @param {string} key @param {string} label */
export function addCallKey(key, label) {
  known.set(key, `${label || '(no label)'} (${key.slice(0, 9)}…)`);
  showList(key);
}

/** Removes the keys that are no longer in force. @param {string[]} starts the starts of those that are */
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
