/**
 * Returns the description of the published document, in Markdown. It fits on one screen; the guide contains the rest.
 *
 * @param keys the description of the keys of this service
 */
export const descriptionWith = (
  keys: string,
) => `An HTTP/JSON API for a pet store: list animals, add an animal, place an order, queue a message.

Every operation requires an API key. Press **Authorize** in the [explorer]({root}/docs) and call any operation, or use a
command line:

    curl -H 'Authorization: Bearer <API_KEY>' {root}/v1/pets

${keys}

- [Guide]({root}/docs/guide): requests, lists, idempotent requests, limits, stability
- [Errors]({root}/docs/errors): each error code and its remedy
- [Large integers]({root}/docs/integers): ids are 64-bit integers, which JavaScript rounds above 2^53
- [Changelog]({root}/docs/changelog): all changes, and what may change within v1
`;
