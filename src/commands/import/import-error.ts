/** Why an import cannot start or go on, in a line that is fit for an operator. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}
