/** The entry of the session storage with the key. The explorer uses the same entry. */
const ENTRY = 'petstore-key';

/** The key that this page is signed in with. @type {string | undefined} */
let current = sessionStorage.getItem(ENTRY) ?? undefined;

export const currentKey = () => current;

export const isKept = () => sessionStorage.getItem(ENTRY) !== null;

/** @param {string} key */
export function use(key) {
  current = key;
  if (isKept()) keep(true);
}

/**
 * Stores the key until the tab is closed, or only in the memory of this page.
 *
 * @param {boolean} wanted
 */
export function keep(wanted) {
  if (wanted && current !== undefined) sessionStorage.setItem(ENTRY, current);
  else sessionStorage.removeItem(ENTRY);
}

export function forget() {
  current = undefined;
  keep(false);
}

/**
 * Opens the explorer with a key in a new tab. The new tab starts with a copy of this tab's session storage, so the key
 * is not part of a URL.
 *
 * @param {string} key
 */
export function openExplorer(key) {
  const kept = sessionStorage.getItem(ENTRY);
  sessionStorage.setItem(ENTRY, key);
  const opened = window.open('docs', '_blank');
  if (!opened) location.assign('docs');
  else if (kept === null) sessionStorage.removeItem(ENTRY);
  else sessionStorage.setItem(ENTRY, kept);
}
