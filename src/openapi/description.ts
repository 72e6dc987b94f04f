/** What the published document says before its operations. */
export const DESCRIPTION = `An HTTP/JSON API for a pet store.`;
