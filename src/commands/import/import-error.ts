/** The import cannot start or continue. The message is one line for operators. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}
