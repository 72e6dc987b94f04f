/** Names the fields that Swagger UI leaves without a label, and keeps links out of buttons. */
export const nameFields = ({ React: { createElement } }) => {
  const labelled = (text, field) =>
    createElement('label', null, createElement('span', { className: 'unseen' }, text), field);
  return {
    components: {
      // It stands within the button that opens an operation, which links to it, too.
      DeepLink: ({ text }) => createElement('span', null, text),
    },
    wrapComponents: {
      CloseIcon: (Icon) => (props) => [
        createElement('span', { key: 'name', className: 'unseen' }, 'Close'),
        createElement(Icon, { key: 'icon', ...props }),
      ],
      // Swagger UI gives some buttons a name other than the text that is seen.
      Button:
        (Button) =>
        ({ 'aria-label': name, ...props }) =>
          createElement(
            Button,
            typeof props.children === 'string' ? props : { 'aria-label': name, ...props },
          ),
      TextArea: (TextArea) => (props) =>
        createElement(TextArea, { 'aria-label': 'Request body', ...props, title: props.title || undefined }),
      JsonSchema_string: (Field) => (props) => {
        const field = createElement(Field, props);
        return props.schema?.get?.('enum') ? labelled(props.description, field) : field;
      },
      Servers: (Servers) => (props) =>
        createElement('div', { ref: nameServers }, createElement(Servers, props)),
    },
  };
};

/** Its own label is empty. */
function nameServers(container) {
  container?.querySelector('select')?.setAttribute('aria-label', 'Server');
}
