/** Shows the stability beside each operation, in place of a button that is not used here. */
export const showMarks = ({ React: { createElement } }) => ({
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
        sunset &&
          createElement('span', { className: 'mark removed' }, `will be removed on ${inWords(sunset)}`),
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

/** Returns the successor of a deprecated operation. Its URL starts with /v1; the paths of the document do not. */
function findSuccessor(document, address) {
  const path = address?.replace(/^\/v1(?=\/)/, '');
  const operation = path && document.getIn(['paths', path, 'get']);
  if (!operation) return undefined;
  return { name: `GET ${path}`, hash: `#/${operation.getIn(['tags', 0])}/${operation.get('operationId')}` };
}

function inWords(day) {
  return new Date(day).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}
