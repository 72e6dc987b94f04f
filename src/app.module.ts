import { Module } from '@nestjs/common';

import { AuthModule } from './auth/auth.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { PetsModule } from './pets/pets.module.js';
import { PetstoreModule } from './petstore.module.js';
import { StoreModule } from './store/store.module.js';

/** The pet store. A team's root module looks the same, with its own options and modules. */
@Module({ imports: [PetstoreModule.forRoot(), PetsModule, StoreModule, MessagesModule, AuthModule] })
export class AppModule {}
