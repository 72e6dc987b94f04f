/** The languages of samples that Swagger UI highlights, by their names in `x-codeSamples`. */
const HIGHLIGHTED = { Shell: 'bash', JavaScript: 'javascript' };

/** The language that the reader chose last, which is the default of each operation. */
let chosenLanguage;

/** Shows the `x-codeSamples` of an operation above its responses. */
export const showSamples = ({ getComponent, React: { createElement, useState } }) => {
  const Samples = ({ samples }) => {
    const [language, setLanguage] = useState(chosenLanguage);
    const shown = samples.find(({ lang }) => lang === language) ?? samples[0];
    const choose = (lang) => {
      chosenLanguage = lang;
      setLanguage(lang);
    };
    const button = ({ lang, label }) =>
      createElement(
        'button',
        { key: lang, type: 'button', 'aria-pressed': lang === shown.lang, onClick: () => choose(lang) },
        lang === 'Shell' ? label : `${lang} (${label})`,
      );
    return createElement(
      'section',
      { className: 'samples', 'aria-label': 'Samples' },
      createElement(
        'div',
        { className: 'opblock-section-header' },
        createElement('h4', null, 'Samples'),
        createElement('div', { className: 'languages' }, samples.map(button)),
      ),
      createElement(
        getComponent('HighlightCode', true),
        { language: HIGHLIGHTED[shown.lang] ?? 'text', canCopy: true },
        shown.source,
      ),
    );
  };
  return {
    wrapComponents: {
      responses: (Responses) => (props) => {
        const samples = props.specSelectors
          .specJson()
          .getIn(['paths', props.path, props.method, 'x-codeSamples']);
        return [
          samples && createElement(Samples, { key: 'samples', samples: samples.toJS() }),
          createElement(Responses, { key: 'responses', ...props }),
        ];
      },
    },
  };
};
