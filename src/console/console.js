import { createAccount, createKey, getAccount, getSettings, listKeys, Refusal, revokeKey } from './api.js';
import { currentKey, forget, isKept, keep, openExplorer, use } from './key.js';
import { isOwn, showKeys } from './key-rows.js';
import { byId, copy, messageOf, onSubmit, tell } from './page.js';

/** @typedef {import('./api.js').Key} Key */

/** Whom to ask for an account or a lost key, as people say it. */
let contact = 'the operator of this service';

const key = () => currentKey() ?? '';
const curl = (/** @type {string} */ shownKey) =>
  `curl -H 'Authorization: Bearer ${shownKey}' ${new URL('v1/pets', location.href).href}`;

/** Shows the part of the page that fits. */
function show() {
  const isSignedIn = currentKey() !== undefined;
  byId('signed-in').hidden = !isSignedIn;
  byId('signed-out').hidden = isSignedIn;
}

/** Signs in with a key, once the service takes it. @param {string} candidate */
async function signIn(candidate) {
  if (!/^ps_\w+$/.test(candidate)) throw new Error('This is no key: a key starts with ps_.');
  const { name } = await getAccount(candidate);
  const keys = await listKeys(candidate);
  use(candidate);
  byId('account-name').textContent = name;
  byId('new-key').hidden = true;
  showAccount(keys);
  byId('account').focus();
}

/** @param {Key[]} keys */
function showAccount(keys) {
  const start = `${key().slice(0, 9)}…`;
  byId('own-start').textContent = start;
  byId('curl').textContent = curl(start);
  byId('keep', HTMLInputElement).checked = isKept();
  showKeys(byId('key-rows'), keys, key(), (asked) => askToRevoke(asked, keys.length === 1));
  show();
}

/** Shows a key this once. @param {string} text */
function showNewKey(text) {
  byId('new-key-text').textContent = text;
  byId('new-key').hidden = false;
  byId('new-key-title').focus();
}

/** @param {string} [text] */
function signOut(text = 'Signed out. This page has forgotten the key.') {
  forget();
  for (const id of ['account-name', 'new-key-text', 'own-start', 'curl', 'key-rows'])
    byId(id).textContent = '';
  byId('new-key').hidden = true;
  show();
  byId('welcome').focus();
  tell(text);
}

/** Asks whether a key shall be revoked, and does it then. @param {Key} asked @param {boolean} isLast */
function askToRevoke(asked, isLast) {
  const name = asked.label || asked.start;
  const own = isOwn(asked, key());
  byId('revoke-title').textContent = isLast ? `Revoke the last key, “${name}”?` : `Revoke the key “${name}”?`;
  byId('revoke-text').textContent = isLast
    ? `Without a key, nobody gets into this account any more: not to its orders, and not to make another key. Only ${contact} can let you in again.`
    : `Whatever uses it is refused from now on. ${own ? 'You are signed in with it, so you will be signed out. ' : ''}This cannot be undone.`;
  // Not the event `close`: it comes late, and one question's could then answer the next.
  byId('revoke-answer').onsubmit = ({ submitter }) => {
    if (submitter?.id === 'revoke-yes') void revoke(asked, name, own);
  };
  byId('revoke', HTMLDialogElement).showModal();
}

/** @param {Key} revoked @param {string} name @param {boolean} own */
async function revoke(revoked, name, own) {
  try {
    await revokeKey(key(), revoked.id);
    if (own) return signOut(`The key “${name}” is revoked.`);
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
  showAccount(await listKeys(key()));
  showNewKey(made.key);
});

byId('sign-out').addEventListener('click', () => signOut());
byId('open-explorer').addEventListener('click', openExplorer);
byId('copy-curl').addEventListener('click', () => void copy(curl(key())));
byId('keep').addEventListener('change', ({ currentTarget }) => {
  if (currentTarget instanceof HTMLInputElement) keep(currentTarget.checked);
});
for (const button of document.querySelectorAll('[data-copies]')) {
  const source = button.getAttribute('data-copies') ?? '';
  button.addEventListener('click', () => void copy(byId(source).textContent));
}

try {
  const settings = await getSettings();
  byId('sign-up').hidden = settings.signup === 'closed';
  byId('closed').hidden = settings.signup === 'open';
  contact = settings.contact ?? contact;
  byId('contact').textContent = contact;
  const kept = currentKey();
  if (kept !== undefined) await signIn(kept);
} catch (error) {
  if (currentKey() !== undefined && error instanceof Refusal && error.status === 401) {
    signOut('The key that was kept is no longer in force.');
  } else {
    tell(messageOf(error));
  }
}
