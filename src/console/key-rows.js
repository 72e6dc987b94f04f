/** @typedef {import('./api.js').Key} Key */

/**
 * Shows the keys as rows of the table.
 *
 * @param {HTMLElement} rows
 * @param {Key[]} keys
 * @param {string} ownKey the key that the page is signed in with
 * @param {(key: Key) => void} revoke
 */
export function showKeys(rows, keys, ownKey, revoke) {
  rows.replaceChildren(
    ...keys.map((key) => {
      const start = element('code', `${key.start}…`);
      const button = element('button', 'Revoke');
      button.classList.add('danger', 'quiet');
      button.setAttribute('aria-label', `Revoke the key ${key.label} (${key.start}…)`);
      button.addEventListener('click', () => revoke(key));
      const row = document.createElement('tr');
      row.append(
        cell(undefined, key.label || '(no label)'),
        cell('Key', start, ...(isOwn(key, ownKey) ? [element('span', 'signed in', 'tag')] : [])),
        cell('Created', time(key.createdAt)),
        cell('Last used', key.lastUsedAt === null ? 'never' : time(key.lastUsedAt)),
        cell(undefined, button),
      );
      return row;
    }),
  );
}

/**
 * @param {Key} key
 * @param {string} ownKey
 */
export const isOwn = (key, ownKey) => ownKey.startsWith(key.start);

/**
 * @param {string | undefined} name the heading in the narrow layout
 * @param {...(Node | string)} content
 */
function cell(name, ...content) {
  const td = document.createElement('td');
  if (name !== undefined) td.dataset['name'] = name;
  td.append(...content);
  return td;
}

/**
 * @param {string} tag
 * @param {string} text
 * @param {string} [className]
 */
function element(tag, text, className = '') {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className !== '') made.className = className;
  return made;
}

/** @param {string} instant */
function time(instant) {
  const made = document.createElement('time');
  made.dateTime = instant;
  made.textContent = new Date(instant).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return made;
}
