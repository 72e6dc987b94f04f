/** Shows the samples of an operation above its responses, and its errors below them, folded to a line each. */
export const foldSamplesAndErrors = ({ getComponent, React: { createElement } }) => {
  const toSection = (title, details) =>
    createElement(
      'div',
      { key: title },
      createElement('div', { className: 'opblock-section-header' }, createElement('h4', null, title)),
      details,
    );
  const toDetails = (summary, ...content) =>
    createElement('details', { key: summary }, createElement('summary', null, summary), ...content);
  const toSample = ({ lang, label, source }) =>
    toDetails(
      `${lang} (${label})`,
      createElement(getComponent('HighlightCode', true), { language: 'bash', canCopy: true }, source),
    );
  const toError = ([status, { description, content }]) => {
    const { example, examples } = content['application/json'];
    const values = Object.values(examples ?? [{ value: example }]).map(({ value }) => value);
    const [firstSentence] = description.replaceAll(/\[`(.*?)`\]\(.*?\)/g, '$1').split(/(?<=\.) /);
    return toDetails(
      `${status} ${firstSentence}`,
      createElement(getComponent('Markdown', true), { source: description }),
      createElement('pre', null, values.map((value) => JSON.stringify(value, null, 1)).join('\n')),
    );
  };
  const isError = (_response, status) => status >= '400';
  return {
    wrapComponents: {
      responses: (Responses) => (props) => {
        const { specSelectors, path, method, responses } = props;
        const samples =
          specSelectors.specJson().getIn(['paths', path, method, 'x-codeSamples'])?.toJS() ?? [];
        const errors = Object.entries(responses.filter(isError).toJS());
        return [
          toSection('Samples', samples.map(toSample)),
          createElement(Responses, { key: 'others', ...props, responses: responses.filterNot(isError) }),
          toSection('Errors', errors.map(toError)),
        ];
      },
    },
  };
};
