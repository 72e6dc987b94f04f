/** Shows the type of a list with the name of its items: Swagger UI shows `array<any>` until the schema is expanded. */
export const showItemTypes = ({ React: { createElement } }) => ({
  wrapComponents: {
    JSONSchema202012KeywordType: (Type) => (props) => {
      const { type, items } = props.schema;
      const reference = items?.$ref ?? items?.$$ref;
      if (type !== 'array' || !reference) return createElement(Type, props);
      const name = reference.split('/').at(-1);
      return createElement('strong', { className: ATTRIBUTE }, `array<${name}>`);
    },
  },
});

const ATTRIBUTE = 'json-schema-2020-12__attribute json-schema-2020-12__attribute--primary';
