/** Checks keys before the explorer uses them, and leads visitors without a key to the console. */
export const checkKeys = ({ React: { createElement } }) => {
  const link = document.querySelector('nav a[href$=console]')?.getAttribute('href');
  const addLink = (Component, className) => (props) => [
    createElement(Component, { key: 'own', ...props }),
    link && createElement('a', { key: 'console', href: link, className }, 'Get a key'),
  ];
  return {
    statePlugins: { auth: { wrapActions: { authorizeWithPersistOption: checkKey } } },
    wrapComponents: {
      authorizeBtn: (Button) => addLink(Button, 'btn get-key'),
      auths: (Auths) => addLink(Auths, 'get-key'),
    },
  };
};

/** Removes the name of the scheme, which is often copied with the key, and shows an error if the service refuses the key. */
const checkKey = (authorize, system) => async (authorizations) => {
  const { errActions, specSelectors, oas3Selectors } = system;
  const [[name, entered]] = Object.entries(authorizations);
  const value = String(entered.value ?? '')
    .replace(/^\s*bearer\s+/i, '')
    .trim();
  const fail = (message) => errActions.newAuthErr({ authId: name, level: 'error', source: 'auth', message });
  errActions.clear({ authId: name });
  if (value === '') return fail('Enter a key.');
  const [path] = specSelectors
    .paths()
    .filter((item, path) => item.has('get') && !path.includes('{'))
    .keys();
  const server = oas3Selectors.selectedServer() || specSelectors.servers().first().get('url');
  try {
    const headers = { Authorization: `Bearer ${value}` };
    const { status } = await fetch(server + path, { method: 'HEAD', headers });
    if (status === 401) return fail('The service does not accept this key.');
  } catch {
    return fail('The service does not answer, or the key has characters that a header cannot have.');
  }
  return authorize({ [name]: { ...entered, value } });
};
