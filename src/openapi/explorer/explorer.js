import { completeAttributes } from './attributes.js';
import { checkKeys } from './authorization.js';
import { changeComponents } from './components.js';
import { keepFocus } from './focus.js';
import { changeResponses } from './responses.js';
import { showStatus } from './status.js';

/** The entry of the tab's session storage with the key. The console uses the same entry. */
const ENTRY = 'petstore-key';

const isAccounts = new URLSearchParams(location.search).get('document') === 'accounts';
const root = document.getElementById('explorer');
completeAttributes(root);
keepFocus(root);
// In the capturing phase: the buttons of Swagger UI stop the event.
document.addEventListener('copy', () => showStatus('Copied.'), true);

const explorer = SwaggerUIBundle({
  url: isAccounts ? 'openapi-accounts.json' : 'openapi.json',
  domNode: root,
  plugins: [changeComponents, changeResponses, checkKeys],
  responseInterceptor: adaptDocument,
  onComplete: keepKeyInTab,
  // The default theme has too little contrast.
  syntaxHighlight: { theme: 'tomorrow-night' },
  showCommonExtensions: true,
  tryItOutEnabled: true,
  deepLinking: true,
});

/** Restores the key of this tab, and stores each further one until the tab is closed. */
function keepKeyInTab() {
  const stored = sessionStorage.getItem(ENTRY);
  if (stored) explorer.preauthorizeApiKey('bearer', stored);
  explorer.getStore().subscribe(() => {
    const key = explorer.authSelectors.authorized()?.getIn(['bearer', 'value']);
    if (key) sessionStorage.setItem(ENTRY, key);
    else sessionStorage.removeItem(ENTRY);
  });
}

const darkness = matchMedia('(prefers-color-scheme: dark)');
const showDarkness = () => document.documentElement.classList.toggle('dark-mode', darkness.matches);
darkness.addEventListener('change', showDarkness);
showDarkness();

/**
 * Removes the bounds of int64 from a document, because Swagger UI would round them, and lets it call the origin of the
 * page: behind a proxy with TLS, the service can only name the scheme of the page if it trusts the proxy.
 */
function adaptDocument(response) {
  response.text = response.text
    .replaceAll(/"(?:min|max)imum": -?\d{17,},/g, '')
    .replaceAll(`"http://${location.host}/`, `"${location.origin}/`);
  return response;
}
