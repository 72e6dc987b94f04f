/** Scrolls to the operation that the URL names. Swagger UI would be too early while the page scrolls smoothly. */
const scrollToElement = () => (element) => element.scrollIntoView({ behavior: 'instant' });

/** Changes to components of Swagger UI: marks of stability, exact integers, and a structure for screen readers. */
export const changeComponents = ({ React: { createElement } }) => ({
  components: {
    /** Shows the stability beside each operation, in place of a button that is not used here. */
    JumpToPath: ({ path, specSelectors }) => {
      const operation = path?.get(0) === 'paths' && path.size === 3 && specSelectors.specJson().getIn(path);
      if (!operation) return null;
      const sunset = operation.get('x-sunset');
      const marks = [
        operation.get('x-stability'),
        sunset && `will be removed on ${inWords(sunset)}`,
        sunset && `use ${operation.get('x-successor')}`,
      ];
      const toMark = (text) => createElement('span', { key: text, className: 'mark' }, text);
      return createElement('span', { className: 'marks' }, marks.filter(Boolean).map(toMark));
    },
    // The path is inside the button that opens the operation, so it must not be a link.
    DeepLink: ({ text }) => createElement('span', null, text),
  },
  statePlugins: { layout: { wrapActions: { scrollToElement } } },
  wrapComponents: {
    /** Swagger UI parses JSON, which rounds integers above 2^53, but shows other texts as they are. */
    responseBody: (ResponseBody) => (props) => {
      if (!JSON.rawJSON || !props.contentType?.includes('json')) return createElement(ResponseBody, props);
      const exact = (key, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value);
      const content = JSON.stringify(JSON.parse(props.content, exact), null, 2);
      return createElement(ResponseBody, { ...props, content, contentType: 'text' });
    },
    // A menu with one choice is none.
    ServersContainer: (ServersContainer) => (props) =>
      props.specSelectors.servers().size > 1 ? createElement(ServersContainer, props) : null,
    // A heading between the title of the page and those of the tags.
    operations: (Operations) => (props) => [
      createElement('h2', { key: 'title', id: 'content', tabIndex: -1 }, 'Operations'),
      createElement(Operations, { key: 'operations', ...props }),
    ],
  },
});

function inWords(day) {
  return new Date(day).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}
