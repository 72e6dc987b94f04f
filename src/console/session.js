/** @typedef {{ id: string, label: string, start: string, createdAt: string, lastUsedAt: string | null }} Key */

/** The entry of the session storage with the key. The explorer uses the same entry. */
const ENTRY = 'petstore-key';

/** The key that this page is signed in with, or an empty text. */
let key = sessionStorage.getItem(ENTRY) ?? '';

export const currentKey = () => key;
export const isKept = () => sessionStorage.getItem(ENTRY) !== null;

/** Signs in with a key, or out with an empty text. @param {string} newKey */
export function use(newKey) {
  key = newKey;
  if (isKept()) keep(key !== '');
}

/** Stores the key until the tab is closed, or only in the memory of this page. @param {boolean} isWanted */
export function keep(isWanted) {
  if (isWanted) sessionStorage.setItem(ENTRY, key);
  else sessionStorage.removeItem(ENTRY);
}

/**
 * Opens the explorer in a new tab, which starts with a copy of this tab's session storage: no URL has the key.
 *
 * @param {string} withKey
 */
export function openExplorer(withKey) {
  const wasKept = isKept();
  sessionStorage.setItem(ENTRY, withKey);
  if (!window.open('docs', '_blank')) location.assign('docs');
  else keep(wasKept);
}

/** The key that this page is signed in with is no longer active. */
export class Revoked extends Error {}

/**
 * Calls the service. The message of an error is for people.
 *
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {string} [withKey]
 */
export async function call(method, path, body, withKey = key) {
  const response = await fetch(path, {
    method,
    headers: {
      ...(withKey !== '' && { Authorization: `Bearer ${withKey}` }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error('The service does not answer. Try again in a moment.');
  });
  if (response.status === 401 && withKey === key) throw new Revoked('This key was revoked.');
  if (response.status === 429) throw new Error(waitFor(Number(response.headers.get('Retry-After'))));
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
  // Ids become strings, because numbers would round 64-bit integers.
  const answer = isJson && JSON.parse((await response.text()).replaceAll(/"id":(\d+)/g, '"id":"$1"'));
  if (!response.ok)
    throw new Error(answer?.message ?? `The service failed with the status ${response.status}.`);
  return answer;
}

/** @param {number} seconds */
function waitFor(seconds) {
  const time = seconds < 60 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return `Too many requests. Try again in ${time}.`;
}
