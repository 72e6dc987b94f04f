/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Shows a message for a few seconds, which screen readers read aloud. @param {string} text */
export function showStatus(text) {
  const status = /** @type {HTMLElement} */ (document.getElementById('status'));
  status.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => (status.textContent = ''), 6000);
}

/**
 * Copies a text, and returns whether the browser did. Without access to the clipboard API, as over plain HTTP, copies a
 * selection.
 *
 * @param {string} text
 */
export async function copy(text) {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    isCopied = document.execCommand('copy');
    field.remove();
    focused.focus();
  }
  showStatus(isCopied ? 'Copied.' : 'The browser did not copy. Select the text and copy it.');
  return isCopied;
}

// The blocks of code of a Markdown file.
for (const block of document.querySelectorAll('pre[tabindex]')) {
  const button = document.createElement('button');
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => copy(block.textContent));
  block.before(button);
}
