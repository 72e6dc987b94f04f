/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Shows a message for a few seconds, which screen readers read aloud. @param {string} text */
export function showStatus(text) {
  const status = /** @type {HTMLElement} */ (document.getElementById('status'));
  status.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => (status.textContent = ''), 6000);
}

/** Copies a text. @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    showStatus('Copied.');
  } catch {
    // Over plain HTTP, browsers have no clipboard, except for pages of the same computer.
    showStatus('The browser did not copy. Select the text and copy it.');
  }
}

// The blocks of code of a Markdown file.
for (const block of document.querySelectorAll('pre[tabindex]')) {
  const button = document.createElement('button');
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => copy(block.textContent));
  block.before(button);
}
