/** Where the key is kept, for as long as the tab is open; /console writes it there, too. */
const ENTRY = 'petstore-key';

/** The key stays over a reload, and no longer than the tab. */
const keepKeyInTab = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (original) => (authorization) => {
          const key = authorization.apiKey?.value;
          if (key) sessionStorage.setItem(ENTRY, key);
          return original(authorization);
        },
        logout: (original) => (names) => {
          sessionStorage.removeItem(ENTRY);
          return original(names);
        },
      },
    },
  },
});

/** Tells, beside each operation, how settled it is. The place is the one of a button that is not used here. */
const showMarks = ({ React: { createElement } }) => ({
  components: {
    JumpToPath: ({ path, specSelectors, layoutActions }) => {
      if (path?.get(0) !== 'paths' || path.size !== 3) return null;
      const operation = specSelectors.specJson().getIn(path);
      const stability = operation?.get('x-stability');
      const sunset = operation?.get('x-sunset');
      const successor = findSuccessor(specSelectors.specJson(), operation?.get('x-successor'));
      if (!stability && !sunset) return null;
      return createElement(
        'span',
        { className: 'marks' },
        stability && createElement('span', { className: `mark ${stability}` }, stability),
        sunset && createElement('span', { className: 'mark removed' }, `removed on ${inWords(sunset)}`),
        successor &&
          createElement(
            'a',
            {
              href: successor.hash,
              onClick: (event) => {
                event.preventDefault();
                layoutActions.parseDeepLinkHash(successor.hash);
              },
            },
            `use ${successor.name}`,
          ),
      );
    },
  },
});

/** The brand of this service, for one whose picture carries a style of its own, which a strict policy refuses. */
const showBrand = ({ React: { createElement } }) => ({
  components: {
    Logo: () => [
      createElement('img', { key: 'paw', src: 'docs/paw.svg', alt: '', width: 30, height: 30 }),
      createElement('span', { key: 'name', className: 'brand' }, 'Pet store'),
    ],
  },
});

/** The documents side by side, in place of a list to select from. */
const showDocuments = ({ getComponent, React: { createElement } }) => ({
  components: {
    Topbar: () => {
      const link = ({ name, href, url: target }) =>
        createElement('a', { key: name, href, 'aria-current': target === url ? 'page' : undefined }, name);
      return createElement(
        'header',
        { className: 'topbar' },
        createElement(
          'div',
          { className: 'wrapper topbar-wrapper' },
          createElement('a', { href: 'docs' }, createElement(getComponent('Logo'))),
          createElement('nav', { 'aria-label': 'Documents' }, DOCUMENTS.map(link)),
          createElement(getComponent('DarkModeToggle')),
        ),
      );
    },
  },
});

/** The operation to use instead, by its address, which is below /v1 while the paths of the document are not. */
function findSuccessor(document, address) {
  const path = address?.replace(/^\/v1(?=\/)/, '');
  const operation = path && document.getIn(['paths', path, 'get']);
  if (!operation) return undefined;
  return { name: `GET ${path}`, hash: `#/${operation.getIn(['tags', 0])}/${operation.get('operationId')}` };
}

function inWords(day) {
  return new Date(day).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}

/** Shows the JSON of answers as it came: Swagger UI shows numbers as JavaScript reads them, which rounds beyond 2^53. */
const showExactIntegers = ({ getComponent, React: { createElement } }) => ({
  wrapComponents: {
    responseBody: (ResponseBody) => (props) => {
      if (!JSON.rawJSON || !props.contentType?.includes('json')) return createElement(ResponseBody, props);
      const exact = (key, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value);
      const text = JSON.stringify(JSON.parse(props.content, exact), null, 2);
      const code = { language: 'json', downloadable: true, fileName: 'answer.json', canCopy: true };
      return createElement(
        'div',
        null,
        createElement('h5', null, 'Response body'),
        createElement(getComponent('HighlightCode', true), code, text),
      );
    },
  },
});

/** Leaves out the bounds of int64, which the page would round: the format says as much. */
function withoutBoundsOfInt64(response) {
  if (/\/openapi[\w-]*\.json$/.test(response.url)) {
    const isRounded = (value) => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    const document = JSON.parse(response.text, (name, value) => (isRounded(value) ? undefined : value));
    response.text = JSON.stringify(document);
  }
  return response;
}

// Where one gets a key here, there are operations for it.
const hasAccounts = document.querySelector('.get-a-key') !== null;

const DOCUMENTS = [
  { name: 'Interface', href: 'docs', url: 'openapi.json' },
  ...(hasAccounts
    ? [{ name: 'Accounts and keys', href: 'docs?document=accounts', url: 'openapi-accounts.json' }]
    : []),
];

/** The document that the page shows. */
const url =
  hasAccounts && new URL(location.href).searchParams.get('document') === 'accounts'
    ? 'openapi-accounts.json'
    : 'openapi.json';

const explorer = SwaggerUIBundle({
  url,
  dom_id: '#explorer',
  layout: 'StandaloneLayout',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [keepKeyInTab, showBrand, showDocuments, showMarks, showExactIntegers],
  responseInterceptor: withoutBoundsOfInt64,
  onComplete: () => {
    const key = sessionStorage.getItem(ENTRY);
    if (key) explorer.preauthorizeApiKey('apiKey', key);
  },
  showExtensions: false,
  showCommonExtensions: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  deepLinking: true,
  validatorUrl: null,
});
