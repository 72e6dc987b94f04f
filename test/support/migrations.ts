import { readdirSync } from 'node:fs';

/** The names of the service's migrations, the oldest first: `CreatePets1763596800001` of `1763596800001-create-pets.ts`. */
export const MIGRATIONS: readonly string[] = readdirSync('migrations')
  .sort()
  .map((file) => {
    const [time = '', ...words] = file.replace('.ts', '').split('-');
    return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('') + time;
  });
