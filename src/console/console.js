import { createAccount, createKey, getAccount, getSettings, listKeys, Refusal, revokeKey } from './api.js';
import { addCallKey, callKey, forgetCallKeys, keepCallKeys } from './call-key.js';
import { currentKey, forget, isKept, keep, openExplorer, use } from './key.js';
import { isOwn, showKeys } from './key-rows.js';
import { copyWithKey, hasUncopiedKey, hideNewKey, showNewKey } from './new-key.js';
import { ask, byId, messageOf, onSubmit, tell } from './page.js';

/** @typedef {import('./api.js').Key} Key */

/** Whom to ask for an account or a lost key. */
let contact = 'the operator of this service';

const key = () => currentKey() ?? '';
const curl = (/** @type {string} */ shownKey) =>
  `curl -H 'Authorization: Bearer ${shownKey}' ${new URL('v1/pets', location.href).href}`;

/** Shows the part of the page that fits. */
function show() {
  const isSignedIn = currentKey() !== undefined;
  byId('signed-in').hidden = byId('session').hidden = !isSignedIn;
  byId('signed-out').hidden = isSignedIn;
}

/** Signs in with a key, once the service takes it. @param {string} candidate */
async function signIn(candidate) {
  if (!/^ps_\w+$/.test(candidate)) throw new Error('This is no key: a key starts with ps_.');
  const { name } = await getAccount(candidate);
  const keys = await listKeys(candidate);
  use(candidate);
  byId('account-name').textContent = name;
  hideNewKey();
  addCallKey(candidate, keys.find((key) => isOwn(key, candidate))?.label ?? '');
  showAccount(keys);
  byId('account').focus();
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

/** Shows the call with the key that was chosen. */
function showCall() {
  byId('curl').textContent = curl(`${callKey().slice(0, 9)}…`);
}

/** @param {string} [text] */
function signOut(text = 'Signed out. This page has forgotten the key.') {
  forget();
  forgetCallKeys();
  hideNewKey();
  for (const id of ['account-name', 'own-start', 'curl', 'key-rows']) byId(id).textContent = '';
  show();
  byId('welcome').focus();
  tell(text);
}

/** Asks whether to revoke a key, and does so. @param {Key} asked @param {boolean} isLast */
function askToRevoke(asked, isLast) {
  const name = asked.label || asked.start;
  const own = isOwn(asked, key());
  const title = isLast ? `Revoke the last key, “${name}”?` : `Revoke the key “${name}”?`;
  const text = isLast
    ? `Without a key, nobody gets into this account any more: not to its orders, and not to create another key. Only ${contact} can let you in again.`
    : `Programs that use it are refused from now on. ${own ? 'You are signed in with it, so you will be signed out. ' : ''}This cannot be undone.`;
  ask({ title, text, yes: 'Revoke the key', no: 'Keep it' }, () => void revoke(asked, name, own));
}

/** Signs out, and asks first if that loses a key. */
function askToSignOut() {
  if (!hasUncopiedKey()) return signOut();
  const title = 'Sign out without the new key?';
  const text = 'You have not copied it, and it is shown this once.';
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
    tell(`The key “${name}” is revoked.`);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) signOut('This key is no longer in force.');
    else tell(messageOf(error));
  }
}

onSubmit('sign-up', 'name', 'Give the account a name.', async (name) => {
  const { key: first } = await createAccount(name);
  await signIn(first);
  showNewKey(first);
});

onSubmit('sign-in', 'key', 'Enter a key.', signIn);

onSubmit('make-key', 'label', 'Say what the key is for.', async (label) => {
  const made = await createKey(key(), label);
  addCallKey(made.key, label);
  showAccount(await listKeys(key()));
  showNewKey(made.key);
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
    signOut('The key that was kept is no longer in force.');
  } else {
    tell(messageOf(error));
  }
}
