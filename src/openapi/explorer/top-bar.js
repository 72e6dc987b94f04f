/**
 * The bar above the document: the brand, the documents side by side, and the button Authorize, which stays visible.
 *
 * @param {{ name: string, href: string, isShown: boolean }[]} documents
 */
export const topBar =
  (documents) =>
  ({ getComponent, React: { createElement } }) => ({
    components: {
      // The one of Swagger UI has a picture with a style of its own, which a strict policy refuses.
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
      // It stands in the bar instead of below the description.
      AuthorizeBtnContainer: (AuthorizeButton) => (props) =>
        props.isInTopBar ? createElement(AuthorizeButton, props) : null,
    },
  });
