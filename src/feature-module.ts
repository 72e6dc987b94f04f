import { type DynamicModule, Module, type ModuleMetadata, type Type } from '@nestjs/common';

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
