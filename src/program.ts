import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name in the errors and the commands of this process: that of the last application, or of the last root module. */
export const program = { name: 'petstore' };

export const VERSION = (
  JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }
).version;

export interface ServiceName {
  /** The name of the command, in errors of the start and in the realm of challenges. */
  readonly name: string;
  /** The title of the OpenAPI document and of the pages. */
  readonly title: string;
}

export const SERVICE_NAME = Symbol('ServiceName');

/** Injection token that marks an application of a command, which migrates the database itself. */
export const COMMAND = Symbol('Command');
