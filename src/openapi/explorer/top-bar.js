/**
 * The bar above the document: the brand, links to the documents, and the button Authorize, which stays visible.
 *
 * @param {{ name: string, href: string, isShown: boolean }[]} documents
 */
export const topBar =
  (documents) =>
  ({ getComponent, React: { createElement } }) => ({
    components: {
      // The logo of Swagger UI has an inline style, which the Content-Security-Policy forbids.
      Logo: () => [
        createElement('img', { key: 'paw', src: 'docs/paw.svg', alt: '', width: 30, height: 30 }),
        createElement('span', { key: 'name', className: 'brand' }, 'Pet store'),
      ],
      Topbar: () => {
        const link = ({ name, href, isShown }) =>
          createElement('a', { key: name, href, 'aria-current': isShown ? 'page' : undefined }, name);
        return createElement(
          'header',
          { className: 'topbar' },
          createElement(
            'div',
            { className: 'wrapper topbar-wrapper' },
            createElement('a', { href: 'docs', className: 'home' }, createElement(getComponent('Logo'))),
            createElement('nav', { 'aria-label': 'Documents' }, documents.map(link)),
            createElement(getComponent('AuthorizeBtnContainer', true), { isInTopBar: true }),
            createElement(getComponent('DarkModeToggle')),
          ),
        );
      },
    },
    wrapComponents: {
      // The button is in the bar instead of below the description.
      AuthorizeBtnContainer: (AuthorizeButton) => (props) =>
        props.isInTopBar ? createElement(AuthorizeButton, props) : null,
    },
  });
