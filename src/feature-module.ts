import { type DynamicModule, Module, type ModuleMetadata, type Type } from '@nestjs/common';

import { IdempotencyModule } from './idempotency/idempotency.module.js';

/** The options that all features have. */
export interface FeatureOptions {
  /** The modules whose providers the replaced parts inject. */
  readonly imports?: NonNullable<ModuleMetadata['imports']>;
}

/** The parts of a feature with operations. */
interface Feature extends Required<Pick<ModuleMetadata, 'imports' | 'providers' | 'exports'>> {
  readonly controller: Type<object>;
}

/** Returns the metadata of the module of a feature. */
export function featureMetadata(
  { imports = [] }: FeatureOptions,
  { controller, ...parts }: Feature,
): ModuleMetadata {
  return {
    ...parts,
    imports: [...parts.imports, IdempotencyModule, ...imports],
    controllers: [controller],
  };
}

/**
 * Returns a global module in place of another one. Its class has no parts, because Nest would add them to those of the
 * metadata.
 */
export function replaceModule({ name }: Type, metadata: ModuleMetadata): DynamicModule {
  @Module({})
  class ReplacedModule {}
  Object.defineProperty(ReplacedModule, 'name', { value: name });
  return { module: ReplacedModule, global: true, ...metadata };
}
