/** Adds labels to fields for which Swagger UI has none, and removes links from buttons. */
export const nameFields = ({ React: { createElement } }) => {
  const labelled = (text, field) =>
    createElement('label', null, createElement('span', { className: 'unseen' }, text), field);
  return {
    components: {
      // The path is inside the button that opens the operation, so it must not be a link.
      DeepLink: ({ text }) => createElement('span', null, text),
    },
    wrapComponents: {
      CloseIcon: (Icon) => (props) => [
        createElement('span', { key: 'name', className: 'unseen' }, 'Close'),
        createElement(Icon, { key: 'icon', ...props }),
      ],
      // Swagger UI gives some buttons an accessible name that differs from their visible text.
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

/** The label of Swagger UI is empty. */
function nameServers(container) {
  container?.querySelector('select')?.setAttribute('aria-label', 'Server');
}
