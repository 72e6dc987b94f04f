import { LANGUAGES } from './samples.js';
import { showStatus } from './status.js';

/** Shows samples with the entered values above the responses of an operation, and its errors below them. */
export const changeResponses = ({ getComponent, React: { createElement, useState } }) => {
  const toSection = (title, ...content) =>
    createElement(
      'div',
      { key: title, className: title.toLowerCase() },
      createElement('div', { className: 'opblock-section-header' }, createElement('h4', null, title)),
      ...content,
    );
  const toError = ([status, { description, content }]) => {
    const { example, examples } = content['application/json'];
    const values = Object.values(examples ?? [{ value: example }]).map(({ value }) => value);
    const [firstSentence] = description.replaceAll(/\[`(.*?)`\]\(.*?\)/g, '$1').split(/(?<=\.) /);
    return createElement(
      'details',
      { key: status },
      createElement('summary', null, `${status} ${firstSentence}`),
      createElement(getComponent('Markdown', true), { source: description }),
      createElement('pre', { tabIndex: 0 }, values.map((value) => JSON.stringify(value, null, 1)).join('\n')),
    );
  };
  /** A connected component: it changes with the entered values. */
  const Samples = ({ path, method, ...system }) => {
    const [shown, show] = useState(LANGUAGES[0].lang);
    const tabs = LANGUAGES.map(({ lang, label }) =>
      createElement(
        'button',
        { key: lang, type: 'button', 'aria-pressed': lang === shown, onClick: () => show(lang) },
        `${lang} (${label})`,
      ),
    );
    const source = LANGUAGES.find(({ lang }) => lang === shown).write(requestOf(system, path, method));
    const code = createElement(
      getComponent('HighlightCode', true),
      { language: 'bash', canCopy: true },
      source,
    );
    return toSection('Samples', createElement('div', { className: 'tabs' }, tabs), code);
  };
  const isError = (_response, status) => status >= '400';
  return {
    components: { Samples, curl: () => null },
    statePlugins: { spec: { wrapActions: { setResponse: announce, validateParams: clearResponse } } },
    wrapComponents: {
      responses: (Responses) => (props) => {
        const { path, method, responses } = props;
        const errors = Object.entries(responses.filter(isError).toJS());
        return [
          createElement(getComponent('Samples', true), { key: 'samples', path, method }),
          createElement(Responses, { key: 'others', ...props, responses: responses.filterNot(isError) }),
          toSection('Errors', errors.map(toError)),
        ];
      },
    },
  };
};

/** Returns the request that Execute would send. */
function requestOf({ fn, specSelectors, oas3Selectors, authSelectors }, path, method) {
  const operation = specSelectors.specJson().getIn(['paths', path, method]).toJS();
  const token = document.getElementById('explorer').dataset.token;
  const authorized = authSelectors.authorized().toJS();
  const request = fn.buildRequest({
    spec: specSelectors.specJsonWithResolvedSubtrees().toJS(),
    ...{ pathName: path, method, operationId: operation.operationId },
    parameters: specSelectors.parameterValues([path, method]).toJS(),
    server: oas3Selectors.selectedServer(),
    requestBody: oas3Selectors.requestBodyValue(path, method),
    requestContentType: operation.requestBody && 'application/json',
    securities: { authorized: { bearer: { value: token }, ...authorized } },
  });
  const sent = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'accept');
  return { ...request, headers: Object.fromEntries(sent) };
}

/** Announces a response. Swagger UI splits the values of headers at commas, and would join them without a space. */
const announce = (set) => (path, method, result) => {
  const { status, statusText, headers } = result.err?.response ?? result;
  showStatus(status ? `Response: ${status} ${statusText}` : 'The service does not answer.');
  for (const [name, value] of Object.entries(headers ?? {})) headers[name] = [value].flat().join(', ');
  return set(path, method, result);
};

/** Removes the response to earlier values before the new ones are checked. */
const clearResponse =
  (validate, { specActions }) =>
  (pathMethod) => {
    specActions.clearResponse(...pathMethod);
    return validate(pathMethod);
  };
