/** @typedef {{ id: string, label: string, start: string, createdAt: string, lastUsedAt: string | null }} Key */

/** The entry of the session storage with the key, which the tab keeps until it is closed. The explorer uses the same entry. */
const ENTRY = 'petstore-key';

/** The key that this tab is signed in with, or an empty text. */
export const currentKey = () => sessionStorage.getItem(ENTRY) ?? '';

/** @param {string} key */
export const signInWith = (key) => sessionStorage.setItem(ENTRY, key);

export const forgetKey = () => sessionStorage.removeItem(ENTRY);

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
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
  // Ids become strings, because numbers would round 64-bit integers.
  const answer = isJson && JSON.parse((await response.text()).replaceAll(/"id":(\d+)/g, '"id":"$1"'));
  if (!response.ok)
    throw new Error(answer?.message ?? `The service failed with the status ${response.status}.`);
  return answer;
}
