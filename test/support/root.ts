import { Module, type ModuleMetadata } from '@nestjs/common';

import { AuthModule } from '#src/auth/auth.module';
import { MessagesModule } from '#src/messages/messages.module';
import { PetsModule } from '#src/pets/pets.module';
import { PetstoreModule, type PetstoreOptions } from '#src/petstore.module';
import { StoreModule } from '#src/store/store.module';

/** The modules of an application, in addition to `PetstoreModule`. */
export type Modules = NonNullable<ModuleMetadata['imports']>;

/** The features of the service. */
export const FEATURES: Modules = [PetsModule, StoreModule, MessagesModule, AuthModule];

// eslint-disable-next-line @typescript-eslint/no-extraneous-class -- a decorated class has no members
class RootModule {}
// The benchmarks import this file as it is, and Node does not compile decorators.
Module({})(RootModule);

/** Returns a root module. */
export function rootOf(modules: Modules, options: PetstoreOptions = {}) {
  return { module: RootModule, imports: [PetstoreModule.forRoot(options), ...modules] };
}
