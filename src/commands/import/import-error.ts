import { OperatorError } from '../../config/operator-error.js';

/** The import cannot start or continue. The message is one line for operators. */
export class ImportError extends OperatorError {}
