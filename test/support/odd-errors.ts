/** Values that code can throw, and whose properties cannot be read as those of an error. */
export const ODD_ERRORS: Readonly<Record<string, unknown>> = {
  null: null,
  bare: Object.create(null),
  unreadable: Object.defineProperty(new Error(), 'message', { get: fail }),
  cause: Object.defineProperty(new Error('no reason'), 'cause', { get: fail }),
};

function fail(): never {
  throw new Error('cannot be read');
}
