/** The entry of the session storage with the key. /console uses the same entry. */
const ENTRY = 'petstore-key';

/** Returns the key of this tab, or null. */
export const storedKey = () => sessionStorage.getItem(ENTRY);

/** Stores the key in the tab, so that it survives a reload. Hides the hint about keys while there is a key. */
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

/** Shows the link to the console unless there is a key. */
export function showHint() {
  const hint = document.querySelector('.get-a-key');
  if (hint) hint.hidden = storedKey() !== null;
}
