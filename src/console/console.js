import { copy, showStatus } from './copy.js';
import { ask, byId, messageOf, onSubmit } from './form.js';
import { call, currentKey, forgetKey, signInWith } from './session.js';

/** @typedef {import('./session.js').Key} Key */

const curl = (/** @type {string} */ key) =>
  `curl -H 'Authorization: Bearer ${key}' ${new URL('v1/pets', location.href).href}`;

/** The key of the call: the new one, or that of this tab. */
const callKey = () => byId('new-key-text').textContent || currentKey();

const startOf = (/** @type {string} */ key) => `${key.slice(0, 9)}…`;

/** Shows the part of the page for visitors or for signed-in users. */
function showPart() {
  const isSignedIn = currentKey() !== '';
  byId('signed-in').hidden = byId('session').hidden = !isSignedIn;
  byId('signed-out').hidden = isSignedIn;
}

/** Reads and shows the account of a key. @param {string} key */
async function load(key) {
  const { name } = await call('GET', 'account', undefined, key);
  const keys = await call('GET', 'keys', undefined, key);
  signInWith(key);
  byId('account-name').textContent = name;
  showKeys(keys);
}

/** @param {Key[]} keys */
function showKeys(keys) {
  byId('own-start').textContent = startOf(currentKey());
  byId('curl').textContent = curl(startOf(callKey()));
  byId('key-list').replaceChildren(...keys.map(toRow));
  showPart();
}

/** @param {Key} key */
const isOwn = (key) => currentKey().startsWith(key.start);

/** @param {string} instant */
const toTime = (instant) => new Date(instant).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });

/** @param {Key} key */
function toRow(key) {
  const row = document.createElement('tr');
  const texts = {
    Label: `${key.label || '(no label)'}${isOwn(key) ? ' (signed in)' : ''}`,
    'Starts with': `${key.start}…`,
    Created: toTime(key.createdAt),
    'Last used': key.lastUsedAt === null ? 'never' : toTime(key.lastUsedAt),
  };
  for (const [title, text] of Object.entries(texts)) {
    const cell = row.insertCell();
    cell.dataset['title'] = title;
    cell.textContent = text;
  }
  const button = document.createElement('button');
  button.className = 'danger';
  button.textContent = 'Revoke';
  button.setAttribute('aria-label', `Revoke “${key.label || key.start}”`);
  button.addEventListener('click', () => void showError(revoke(key)));
  row.insertCell().append(button);
  return row;
}

/** Shows a new key, or none. @param {string} key */
function showNewKey(key) {
  byId('new-key-text').textContent = key;
  byId('new-key').hidden = key === '';
  if (key !== '') byId('new-key-title').focus();
}

/** @param {string} [text] */
function signOut(text = 'Signed out. This tab has discarded the key.') {
  forgetKey();
  showNewKey('');
  for (const id of ['account-name', 'own-start', 'curl', 'key-list']) byId(id).textContent = '';
  showPart();
  byId('welcome').focus();
  showStatus(text);
}

/** Revokes a key, after a question. @param {Key} key */
async function revoke(key) {
  // Other keys may have been revoked elsewhere.
  const isLast = (await call('GET', 'keys')).length === 1;
  const name = `“${key.label || key.start}”`;
  const contact = byId('contact').textContent;
  const effect = isLast
    ? `It is the last one: you lose access to the account and its orders. Only ${contact} can create another one.`
    : `Programs that use it lose access.${isOwn(key) ? ' You will be signed out.' : ''} This cannot be undone.`;
  if (!(await ask(`Revoke ${name}? ${effect}`))) return;
  await call('DELETE', `keys/${key.id}`);
  const done = `You have revoked ${name}.`;
  if (isOwn(key)) return signOut(done);
  if (byId('new-key-text').textContent.startsWith(key.start)) showNewKey('');
  showKeys(await call('GET', 'keys'));
  byId('keys').focus();
  showStatus(done);
}

/** Shows the sign-in if the key of the tab is gone. @param {unknown} error */
function orSignOut(error) {
  if (currentKey() !== '') throw error;
  signOut(messageOf(error));
}

/** Shows the error of an action. @param {Promise<void>} action */
const showError = (action) => action.catch(orSignOut).catch((error) => showStatus(messageOf(error)));

onSubmit('sign-up', 'name', async (name) => {
  const { key } = await call('POST', 'accounts', { name });
  // The service returns a key only once, so the page shows it before it sends further requests.
  signInWith(key);
  showPart();
  showNewKey(key);
  await showError(load(key));
});

onSubmit('sign-in', 'key', async (key) => {
  await load(key);
  byId('account').focus();
});

/** @param {string} label */
async function makeKey(label) {
  const { key } = await call('POST', 'keys', { label });
  showNewKey(key);
  showKeys(await call('GET', 'keys'));
}

onSubmit('make-key', 'label', (label) => makeKey(label).catch(orSignOut));

byId('sign-out').addEventListener('click', () => signOut());
byId('copy-curl').addEventListener('click', () => copy(curl(callKey())));
byId('copy-new-key').addEventListener('click', () => copy(byId('new-key-text').textContent));

showStatus('');
if (currentKey() !== '') await showError(load(currentKey()));
