/** Where the key is kept while the tab is open. /console writes it there, too. */
const ENTRY = 'petstore-key';

/** The key that was entered in this tab, or null. */
export const storedKey = () => sessionStorage.getItem(ENTRY);

/** Keeps the key in the tab over a reload, and hides the hint about keys while there is one. */
export const keepKeyInTab = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (original) => (authorization) => {
          const key = authorization.apiKey?.value;
          if (key) sessionStorage.setItem(ENTRY, key);
          showHint();
          return original(authorization);
        },
        logout: (original) => (names) => {
          sessionStorage.removeItem(ENTRY);
          showHint();
          return original(names);
        },
      },
    },
  },
});

/** Shows the line that leads to the console, unless there is a key. */
export function showHint() {
  const hint = document.querySelector('.get-a-key');
  if (hint) hint.hidden = storedKey() !== null;
}
