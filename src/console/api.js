/** @typedef {{ id: string, label: string, start: string, createdAt: string, lastUsedAt: string | null }} Key */

/** An error of the service, with a message for people. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Returns whether visitors can create accounts, and the contact for accounts.
 *
 * @returns {Promise<{ signup: 'open' | 'closed', contact: string | null }>}
 */
export const getSettings = () => send('GET', 'console/settings.json');

/**
 * @param {string} name
 * @returns {Promise<{ key: string }>}
 */
export const createAccount = (name) => send('POST', 'accounts', { body: { name } });

/**
 * @param {string} key
 * @returns {Promise<{ name: string }>}
 */
export const getAccount = (key) => send('GET', 'account', { key });

/**
 * @param {string} key
 * @returns {Promise<Key[]>}
 */
export const listKeys = (key) => send('GET', 'keys', { key });

/**
 * @param {string} key
 * @param {string} label
 * @returns {Promise<Key & { key: string }>}
 */
export const createKey = (key, label) => send('POST', 'keys', { key, body: { label } });

/**
 * @param {string} key
 * @param {string} id
 * @returns {Promise<void>}
 */
export const revokeKey = (key, id) => send('DELETE', `keys/${id}`, { key });

/**
 * @param {string} method
 * @param {string} path
 * @param {{ key?: string, body?: object }} [options]
 */
async function send(method, path, { key, body } = {}) {
  const response = await fetch(path, {
    method,
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Refusal(0, 'The service does not answer. Try again in a moment.');
  });
  const text = await response.text();
  const answer = text === '' ? undefined : JSON.parse(text, exactId);
  if (response.status === 429) {
    const wait = inWords(Number(response.headers.get('Retry-After')));
    throw new Refusal(429, `Too many requests. Try again ${wait}.`);
  }
  if (!response.ok) throw new Refusal(response.status, answer.message);
  return answer;
}

/**
 * Formats a time to wait, rounded up: "in 42 minutes".
 *
 * @param {number} seconds
 */
function inWords(seconds) {
  const relative = new Intl.RelativeTimeFormat('en');
  if (seconds < 60) return relative.format(seconds, 'second');
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? relative.format(minutes, 'minute') : relative.format(Math.ceil(minutes / 60), 'hour');
}

/**
 * Reads ids as strings, because numbers would round 64-bit integers.
 *
 * @param {string} name
 * @param {unknown} value
 * @param {{ source?: string }} [context]
 */
function exactId(name, value, context) {
  return name === 'id' ? (context?.source ?? String(value)) : value;
}
