import { nameFields } from './accessibility.js';
import { keepKeyInTab, showHint, storedKey } from './authorization.js';
import { showExactIntegers, withoutBoundsOfInt64 } from './exact-integers.js';
import { showMarks } from './marks.js';
import { showSamples } from './samples.js';
import { showItemTypes } from './schemas.js';
import { topBar } from './top-bar.js';

// A service with the console also has the operations on accounts and keys.
const hasAccounts = document.querySelector('.get-a-key') !== null;
const showsAccounts = hasAccounts && new URL(location.href).searchParams.get('document') === 'accounts';

const DOCUMENTS = [
  { name: 'Interface', href: 'docs', isShown: !showsAccounts },
  ...(hasAccounts
    ? [{ name: 'Accounts and keys', href: 'docs?document=accounts', isShown: showsAccounts }]
    : []),
];

const explorer = SwaggerUIBundle({
  url: showsAccounts ? 'openapi-accounts.json' : 'openapi.json',
  dom_id: '#explorer',
  layout: 'StandaloneLayout',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [
    keepKeyInTab,
    topBar(DOCUMENTS),
    showMarks,
    showSamples,
    showExactIntegers,
    showItemTypes,
    nameFields,
  ],
  responseInterceptor: withoutBoundsOfInt64,
  onComplete: () => {
    const key = storedKey();
    if (key) explorer.preauthorizeApiKey('apiKey', key);
  },
  // The default theme has too little contrast.
  syntaxHighlight: { theme: 'tomorrow-night' },
  showExtensions: false,
  showCommonExtensions: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  deepLinking: true,
  validatorUrl: null,
});
showHint();
