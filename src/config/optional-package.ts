import { ConfigError } from './config.js';

/**
 * Imports a module that needs packages which not every application installs.
 *
 * @param reason why this application needs them, as a sentence
 * @param packages their names
 * @throws ConfigError with the command that installs them
 */
export async function importOptional<Module>(
  load: () => Promise<Module>,
  reason: string,
  packages: readonly string[],
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new ConfigError(`${reason} Run: npm install ${packages.join(' ')}`, { cause: error });
  }
}
