/** Shows the original JSON of responses. Swagger UI parses and formats it, which rounds integers above 2^53. */
export const showExactIntegers = ({ getComponent, React: { createElement } }) => ({
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

/** Removes the bounds of int64, which the page would round. The format implies them. */
export function withoutBoundsOfInt64(response) {
  if (/\/openapi[\w-]*\.json$/.test(response.url)) {
    const isRounded = (value) => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    const document = JSON.parse(response.text, (name, value) => (isRounded(value) ? undefined : value));
    response.text = JSON.stringify(document);
  }
  return response;
}
