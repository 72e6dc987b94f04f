import { messageOf } from '../domain/message-of.js';
import { ConfigError } from './config.js';

/** Creates a handler for an error of a server that cannot listen. The error names the variables of its address. */
export function rethrowListenError(variables: string): (error: unknown) => never {
  return (error) => {
    throw new ConfigError(`${variables}: ${messageOf(error)}`, { cause: error });
  };
}
