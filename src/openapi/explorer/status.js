/** Shows a message for a few seconds, which screen readers read aloud. */
export function showStatus(text) {
  const status = document.getElementById('status');
  status.textContent = text;
  setTimeout(() => {
    if (status.textContent === text) status.textContent = '';
  }, 6000);
}
