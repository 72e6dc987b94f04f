/**
 * What the published document says before its operations, in Markdown. It fits on one screen: the rest is the guide.
 *
 * @param keys what it says of the keys of this service
 */
export const descriptionWith = (
  keys: string,
) => `An HTTP/JSON API for a pet store: list animals, add one, order one, queue a message.

Every operation needs an API key. Press **Authorize** in the [explorer]({root}/docs) and call any operation, or use a
command line:

    curl -H 'Authorization: Bearer <API_KEY>' {root}/v1/pets

${keys}

- [Guide]({root}/docs/guide): requests, lists, idempotent requests, limits, stability
- [Errors]({root}/docs/errors): each code, and what to do
- [Large integers]({root}/docs/integers): ids are int64, which JavaScript rounds beyond 2^53
- [Changelog]({root}/docs/changelog): the changes, and what may change within v1
`;
