import { createAccount, createKey, getAccount, getSettings, listKeys, Refusal, revokeKey } from './api.js';
import { addCallKey, callKey, forgetCallKeys, keepCallKeys } from './call-key.js';
import { currentKey, forget, isKept, keep, openExplorer, use } from './key.js';
import { isOwn, showKeys } from './key-rows.js';
import { copyWithKey, hasUncopiedKey, hideNewKey, showNewKey } from './new-key.js';
import { ask, byId, messageOf, onSubmit, showStatus } from './page.js';

/** @typedef {import('./api.js').Key} Key */

/** The contact for accounts and lost keys. */
let contact = 'the operator of this service';

const key = () => currentKey() ?? '';
const curl = (/** @type {string} */ shownKey) =>
  `curl -H 'Authorization: Bearer ${shownKey}' ${new URL('v1/pets', location.href).href}`;

/** Shows the part of the page for visitors or for signed-in users. */
function show() {
  const isSignedIn = currentKey() !== undefined;
  byId('signed-in').hidden = byId('session').hidden = !isSignedIn;
  byId('signed-out').hidden = isSignedIn;
}

/** Signs in with a key if the service accepts it. @param {string} candidate */
async function signIn(candidate) {
  if (!/^ps_\w+$/.test(candidate)) throw new Error('This is not a key. Keys start with ps_.');
  await load(candidate);
  hideNewKey();
  byId('account').focus();
}

/** Reads and shows the account of a key. @param {string} candidate */
async function load(candidate) {
  const { name } = await getAccount(candidate);
  const keys = await listKeys(candidate);
  use(candidate);
  byId('account-name').textContent = name;
  addCallKey(candidate, keys.find((key) => isOwn(key, candidate))?.label ?? '');
  showAccount(keys);
}

/** @param {Key[]} keys */
function showAccount(keys) {
  byId('own-start').textContent = `${key().slice(0, 9)}…`;
  keepCallKeys(keys.map(({ start }) => start));
  showCall();
  byId('keep', HTMLInputElement).checked = isKept();
  showKeys(byId('key-rows'), keys, key(), (asked) => askToRevoke(asked, keys.length === 1));
  show();
}

/** Shows the call with the selected key. */
function showCall() {
  byId('curl').textContent = curl(`${callKey().slice(0, 9)}…`);
}

/** @param {string} [text] */
function signOut(text = 'Signed out. This page has discarded the key.') {
  forget();
  forgetCallKeys();
  hideNewKey();
  for (const id of ['account-name', 'own-start', 'curl', 'key-rows']) byId(id).textContent = '';
  show();
  byId('welcome').focus();
  showStatus(text);
}

/** Asks whether to revoke a key, and does so. @param {Key} asked @param {boolean} isLast */
function askToRevoke(asked, isLast) {
  const name = asked.label || asked.start;
  const own = isOwn(asked, key());
  const title = isLast ? `Revoke the last key, “${name}”?` : `Revoke the key “${name}”?`;
  const text = isLast
    ? `Without a key, you lose access to the account and its orders. Only ${contact} can create another key for it.`
    : `Programs that use the key lose access. ${own ? 'You are signed in with this key, so you will be signed out. ' : ''}This cannot be undone.`;
  ask({ title, text, yes: 'Revoke the key', no: 'Keep it' }, () => void revoke(asked, name, own));
}

/** Signs out. Asks first if a new key was not copied. */
function askToSignOut() {
  if (!hasUncopiedKey()) return signOut();
  const title = 'Sign out without the new key?';
  const text = 'You have not copied the key, and it is shown only once.';
  ask({ title, text, yes: 'Sign out', no: 'Stay' }, () => signOut());
}

/** @param {Key} revoked @param {string} name @param {boolean} own */
async function revoke(revoked, name, own) {
  try {
    await revokeKey(key(), revoked.id);
    if (own) return signOut(`The key “${name}” is revoked.`);
    if (byId('new-key-text').textContent.startsWith(revoked.start)) hideNewKey();
    showAccount(await listKeys(key()));
    byId('keys').focus();
    showStatus(`The key “${name}” is revoked.`);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) signOut('This key is no longer active.');
    else showStatus(messageOf(error));
  }
}

onSubmit('sign-up', 'name', 'Enter a name for the account.', async (name) => {
  const { key: first } = await createAccount(name);
  // The service returns a key only once, so the page shows it before it sends further requests.
  use(first);
  show();
  showNewKey(first);
  await load(first).catch((/** @type {unknown} */ error) => showStatus(messageOf(error)));
});

onSubmit('sign-in', 'key', 'Enter a key.', signIn);

onSubmit('make-key', 'label', 'Enter the purpose of the key.', async (label) => {
  const made = await createKey(key(), label);
  addCallKey(made.key, label);
  showNewKey(made.key);
  showAccount(await listKeys(key()));
});

byId('sign-out').addEventListener('click', askToSignOut);
byId('call-key').addEventListener('change', showCall);
byId('open-explorer').addEventListener('click', () => openExplorer(callKey()));
byId('copy-curl').addEventListener('click', () => void copyWithKey(curl(callKey())));
byId('keep').addEventListener('change', ({ currentTarget }) => {
  if (currentTarget instanceof HTMLInputElement) keep(currentTarget.checked);
});

try {
  const settings = await getSettings();
  byId('sign-up').hidden = settings.signup === 'closed';
  byId('open-lead').hidden = settings.signup === 'closed';
  byId('closed').hidden = settings.signup === 'open';
  if (settings.contact !== null) {
    contact = settings.contact;
    for (const place of document.querySelectorAll('[data-contact]')) place.textContent = contact;
  }
  const kept = currentKey();
  if (kept !== undefined) await signIn(kept);
} catch (error) {
  if (currentKey() !== undefined && error instanceof Refusal && error.status === 401) {
    signOut('The stored key is no longer active.');
  } else {
    showStatus(messageOf(error));
  }
}
