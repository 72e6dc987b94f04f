import type { DynamicModule, Type } from '@nestjs/common';

import type { MigrationClass } from './database/migrate.js';

/** What a service is composed of that is not the service as it comes. */
export interface Composition {
  /** The modules of all its features; without them, those of the interface. */
  readonly features?: readonly (Type | DynamicModule)[];
  /** The migrations of what is its own, which run with those of the interface, in the order of their timestamps. */
  readonly migrations?: readonly MigrationClass[];
  /** What the published document says of a tag that is its own, by the name of the tag. */
  readonly tags?: Readonly<Record<string, string>>;
}
