import { messageOf } from '../domain/errors.js';

/** An error with one line for operators as its message. Commands print it without a stack. */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The environment is invalid. The message has one line for operators per variable. */
export class ConfigError extends OperatorError {}

/** Creates a handler for an error of a server that cannot listen. The error names the variables of its address. */
export function rethrowListenError(variables: string): (error: unknown) => never {
  return (error) => {
    throw new ConfigError(`${variables}: ${messageOf(error)}`, { cause: error });
  };
}
