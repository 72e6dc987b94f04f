/** @typedef {{ id: string, label: string, start: string, createdAt: string, lastUsedAt: string | null }} Key */

/** The entry of the session storage with the key, which the tab keeps until it is closed. The explorer uses the same entry. */
const ENTRY = 'petstore-key';

/** The key that this tab is signed in with, or an empty text. */
export const currentKey = () => sessionStorage.getItem(ENTRY) ?? '';

/** @param {string} key */
export const signInWith = (key) => sessionStorage.setItem(ENTRY, key);

export const forgetKey = () => sessionStorage.removeItem(ENTRY);

/** Parses JSON. Ids become strings, because numbers would round 64-bit integers. @param {string} json */
const parse = (json) => JSON.parse(json.replaceAll(/"id":(\d+)/g, '"id":"$1"'));

/**
 * Calls the service. The message of an error is for people. Forgets the key of the tab when it is no longer active.
 *
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {string} [key]
 */
export async function call(method, path, body, key = currentKey()) {
  const response = await fetch(path, {
    method,
    headers: {
      ...(key !== '' && { Authorization: `Bearer ${key}` }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error('The service does not answer. Try again in a moment.');
  });
  if (response.status === 401 && key === currentKey()) {
    forgetKey();
    throw new Error('This key was revoked. Sign in with another one.');
  }
  // A response can have no body, or that of a proxy.
  const answer = await response
    .text()
    .then(parse)
    .catch(() => undefined);
  if (!response.ok) {
    throw new Error(answer?.message ?? `The service failed with the status ${response.status}.`);
  }
  return answer;
}
