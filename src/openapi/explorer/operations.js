import { showStatus } from './copy.js';
import { LANGUAGES } from './samples.js';

/** Changes to operations: marks of stability, samples with the entered values, and exact integers. */
export const changeOperations = ({ getComponent, React: { createElement, useState } }) => {
  return {
    components: {
      /** A connected component: it changes with the entered values. */
      Samples: ({ path, method, ...system }) => {
        const [shown, show] = useState(LANGUAGES[0]);
        const tabs = LANGUAGES.map((language) =>
          createElement(
            'button',
            { key: language.lang, 'aria-pressed': language === shown, onClick: () => show(language) },
            `${language.lang} (${language.label})`,
          ),
        );
        const source = shown.write(requestOf(system, path, method));
        const code = createElement(getComponent('HighlightCode', true), null, source);
        return createElement(
          'div',
          { className: 'samples' },
          createElement('h4', null, 'Samples'),
          createElement('div', null, tabs),
          code,
        );
      },
      // Samples contain curl and the path, a call replaces the last response, and the licence is that of the document.
      ...{ curl: () => null, CopyToClipboardBtn: () => null, clear: () => null, License: () => null },
      /** Shows the stability beside each operation, in place of a button that is not used here. */
      JumpToPath: ({ path, specSelectors }) => {
        const operation = path?.get(0) === 'paths' && path.size === 3 && specSelectors.specJson().getIn(path);
        if (!operation) return null;
        const sunset = operation.get('x-sunset');
        const marks = [
          operation.get('x-stability'),
          sunset && `will be removed on ${sunset}`,
          sunset && `use ${operation.get('x-successor')}`,
        ];
        const toMark = (text) => createElement('span', { key: text, className: 'mark' }, text);
        return createElement('span', { className: 'marks' }, marks.filter(Boolean).map(toMark));
      },
      // The path is inside the button that opens the operation, so it must not be a link.
      DeepLink: ({ text }) => text,
    },
    statePlugins: { spec: { wrapActions: { setResponse: announce, validateParams: clearResponse } } },
    wrapComponents: {
      responses: (Responses) => (props) =>
        createElement(
          'div',
          // Swagger UI gives each table the role of a landmark.
          { ref: (element) => element?.querySelector('table').removeAttribute('role') },
          createElement(getComponent('Samples', true), { path: props.path, method: props.method }),
          createElement(Responses, props),
        ),
      /** Swagger UI parses JSON, which rounds integers above 2^53, but shows other texts as they are. */
      responseBody: (ResponseBody) => (props) => {
        if (!JSON.rawJSON || !props.contentType?.includes('json')) return createElement(ResponseBody, props);
        const exact = (key, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value);
        const content = JSON.stringify(JSON.parse(props.content, exact), null, 2);
        return createElement(ResponseBody, { ...props, content, contentType: 'text' });
      },
      /** Ignores clicks during a call. A button that is disabled would lose the focus. */
      execute: (Execute) => (props) =>
        createElement(
          'div',
          {
            style: { display: 'contents' },
            onClickCapture: (event) => props.disabled && event.stopPropagation(),
          },
          createElement(Execute, { ...props, disabled: false }),
        ),
    },
  };
};

/** Returns the request that Execute would send. */
function requestOf({ fn, specSelectors, oas3Selectors, authSelectors }, path, method) {
  const operation = specSelectors.specJson().getIn(['paths', path, method]);
  const token = document.getElementById('explorer').dataset.token;
  return fn.buildRequest({
    spec: specSelectors.specJsonWithResolvedSubtrees().toJS(),
    ...{ pathName: path, method, operationId: operation.get('operationId') },
    parameters: specSelectors.parameterValues([path, method]).toJS(),
    server: oas3Selectors.selectedServer(),
    requestBody: oas3Selectors.requestBodyValue(path, method),
    requestContentType: operation.has('requestBody') && 'application/json',
    securities: { authorized: { bearer: { value: token }, ...authSelectors.authorized().toJS() } },
  });
}

/** Announces a response. Swagger UI splits the values of headers at commas, and would join them without a space. */
const announce = (set) => (path, method, result) => {
  const { status, statusText, headers = {} } = result.err?.response ?? result;
  showStatus(status ? `Response: ${status} ${statusText}` : 'The service does not answer.');
  for (const [name, value] of Object.entries(headers)) headers[name] = [value].flat().join(', ');
  return set(path, method, result);
};

/** Removes the response to earlier values when the new ones are invalid, and announces what is wrong with them. */
const clearResponse =
  (validate, { specActions, specSelectors }) =>
  (pathMethod) => {
    validate(pathMethod);
    const problems = specSelectors.validationErrors(pathMethod).join(' ');
    if (problems !== '') specActions.clearResponse(...pathMethod);
    showStatus(problems);
  };
