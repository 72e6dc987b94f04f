import { copy, showStatus } from './copy.js';

/** Changes to the page around the operations: its layout, the dialog for the key, and blocks of code. */
export const changeLayout = ({ React: { createElement, useLayoutEffect, useRef } }) => {
  const consoleUrl = document.querySelector('nav a[href$=console]')?.href;
  const getKey = consoleUrl && createElement('a', { className: 'btn', href: consoleUrl }, 'Get a key');
  return {
    components: {
      Page: ({ getComponent, specSelectors }) => {
        const part = (name) => createElement(getComponent(name, true));
        const hasMenu = specSelectors.servers()?.size > 1;
        return createElement(
          'main',
          { className: 'swagger-ui' },
          part('errors'),
          part('InfoContainer'),
          createElement('div', { className: 'access' }, part('AuthorizeBtnContainer'), getKey),
          hasMenu && createElement('label', { htmlFor: 'servers', className: 'off-screen' }, 'Server'),
          hasMenu && part('ServersContainer'),
          createElement('h2', { id: 'content', tabIndex: -1 }, 'Operations'),
          part('operations'),
          part('Webhooks'),
          part('Models'),
        );
      },
      /** A modal dialog of the browser, which keeps the focus, and returns it at the end. */
      authorizationPopup: ({ getComponent, authActions, authSelectors, errSelectors }) => {
        const ref = useRef();
        useLayoutEffect(() => {
          const dialog = ref.current;
          dialog.showModal();
          return () => dialog.close();
        }, []);
        const auths = authSelectors.shownDefinitions().map((definitions, key) =>
          createElement(getComponent('auths'), {
            ...{ key, definitions, getComponent, authActions, authSelectors, errSelectors },
          }),
        );
        const close = () => authActions.showDefinitions(false);
        return createElement('dialog', { ref, 'aria-label': 'Authorize', onClose: close }, auths, getKey);
      },
      PlainTextViewer: ({ children }) => createElement('pre', { tabIndex: 0 }, children),
    },
    statePlugins: { auth: { wrapActions: { authorizeWithPersistOption: checkKey } } },
    wrapComponents: {
      HighlightCode: (HighlightCode) => (props) =>
        createElement(
          'div',
          null,
          createElement('button', { className: 'copy', onClick: () => copy(props.children) }, 'Copy'),
          createElement(HighlightCode, { ...props, canCopy: false }),
        ),
      // Names for screen readers. Those of buttons are their texts.
      Button: (Button) => (props) => createElement(Button, { ...props, 'aria-label': undefined }),
      Input: (Input) => (props) =>
        createElement(Input, { ...props, 'aria-label': undefined, autoComplete: 'off' }),
      TextArea: (TextArea) => (props) => createElement(TextArea, { ...props, 'aria-label': 'Request body' }),
      JsonSchemaForm: (JsonSchemaForm) => (props) => {
        const name = createElement('span', { className: 'off-screen' }, props.description);
        return createElement('label', null, name, createElement(JsonSchemaForm, props));
      },
    },
  };
};

/** Removes the name of the scheme, which is often copied with the key, and shows an error if the service refuses the key. */
const checkKey = (authorize, system) => async (entered) => {
  // A team can have further schemes.
  if (!entered.bearer && Object.keys(entered).length > 0) return authorize(entered);
  const { authActions, errActions, oas3Selectors, specSelectors } = system;
  const value = (entered.bearer?.value ?? '').replace(/^\s*bearer\s+/i, '').trim();
  const server = oas3Selectors.selectedServer() || specSelectors.servers().first().get('url');
  const path = specSelectors.paths().findKey((item, text) => item.has('get') && !text.includes('{'));
  const headers = { Authorization: `Bearer ${value}` };
  const answer = await fetch(server + path, { method: 'HEAD', headers }).catch(() => undefined);
  errActions.clear({ authId: 'bearer' });
  if (!answer || [401, 429].includes(answer.status) || answer.status >= 500) {
    const message = 'The service did not accept this key.';
    return errActions.newAuthErr({ authId: 'bearer', level: 'error', source: 'auth', message });
  }
  authActions.showDefinitions(false);
  showStatus('The explorer uses this key until you close the tab.');
  return authorize({ ...entered, bearer: { ...entered.bearer, value } });
};
