import { changeLayout } from './layout.js';
import { changeOperations } from './operations.js';

/** The entry of the tab's session storage with the key. The console uses the same entry. */
const ENTRY = 'petstore-key';

const explorer = SwaggerUIBundle({
  url: location.search === '?document=accounts' ? 'openapi-accounts.json' : 'openapi.json',
  dom_id: '#explorer',
  plugins: [changeLayout, changeOperations],
  layout: 'Page',
  responseInterceptor: adaptDocument,
  onComplete: keepKeyInTab,
  syntaxHighlight: false,
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
  // Swagger UI also calls it for responses. Without a type of text, such as at 204, `text` is a Blob.
  if (typeof response.text !== 'string') return response;
  response.text = response.text
    .replaceAll(/"(?:min|max)imum": -?\d{17,},/g, '')
    .replaceAll(`"http://${location.host}/`, `"${location.origin}/`);
  return response;
}
