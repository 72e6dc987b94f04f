/** Shows a message for a few seconds, which screen readers read aloud. */
export function showStatus(text) {
  const status = document.getElementById('status');
  status.textContent = text;
  setTimeout(() => {
    if (status.textContent === text) status.textContent = '';
  }, 6000);
}

/** Announces each response. */
export const announceResponses = {
  statePlugins: {
    spec: {
      wrapActions: {
        setResponse: (set) => (path, method, result) => {
          const { status, statusText } = result.err?.response ?? result;
          showStatus(status ? `Response: ${status} ${statusText}` : 'The service does not answer.');
          return set(path, method, result);
        },
      },
    },
  },
};
