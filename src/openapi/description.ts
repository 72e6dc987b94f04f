/**
 * Returns the description of the published document, in Markdown. It fits on one screen; the guide contains the rest.
 *
 * @param keys the description of the keys of this service
 */
export const descriptionWith = (
  keys: string,
) => `List animals, add one, order one, queue a message. Every operation needs an API key:

    curl -H 'Authorization: Bearer <API_KEY>' {root}/v1/pets

${keys}

- [Guide]({root}/docs/guide): requests, lists, idempotent requests, limits, stability
- [Errors]({root}/docs/errors): each code, and what to do
- [Large integers]({root}/docs/integers): JavaScript rounds ids beyond 2^53
- [Changelog]({root}/docs/changelog): what changed, and what may change within v1
`;
