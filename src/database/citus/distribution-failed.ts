import { OperatorError } from '../../config/operator-error.js';

/** The tables could not be distributed. The transaction was rolled back. */
export class DistributionFailed extends OperatorError {
  constructor(cause: unknown) {
    super(`The tables were not distributed: ${reasonOf(cause)}`, { cause });
  }
}

/** Returns the message of an error, with the hint of the server. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'hint' in error && typeof error.hint === 'string'
    ? `${error.message} (${error.hint})`
    : error.message;
}
