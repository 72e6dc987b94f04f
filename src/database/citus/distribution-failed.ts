/** The tables could not be distributed; the database is as it was before. */
export class DistributionFailed extends Error {
  override readonly name = 'DistributionFailed';

  constructor(cause: unknown) {
    super(`The tables were not distributed: ${reasonOf(cause)}`, { cause });
  }
}

/** The message of an error, and the hint of a server. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'hint' in error && typeof error.hint === 'string'
    ? `${error.message} (${error.hint})`
    : error.message;
}
