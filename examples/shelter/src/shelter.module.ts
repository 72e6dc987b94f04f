import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { AuthModule, MessagesModule, PetsModule, PetstoreModule, StoreModule } from 'petstore';

import { CreateShelter1796000000000 } from './create-shelter.migration.js';
import { BlockListGuard } from './operation/block-list.guard.js';
import { ReportingFilter } from './operation/reporting.filter.js';
import { SlowRequestInterceptor } from './operation/slow-request.interceptor.js';
import { PetsV2Controller } from './pets/pets-v2.controller.js';
import { ShelterPetEntity } from './pets/shelter-pet.entity.js';
import { ShelterPetsController } from './pets/shelter-pets.controller.js';
import { ShelterPetsRepository } from './pets/shelter-pets.repository.js';
import { shelterConfig } from './shelter.config.js';
import { TokenVerifier } from './tokens/token.verifier.js';
import { VisitsModule } from './visits/visits.module.js';
import { retryAfterMs, WebhookDelivery } from './webhooks/webhook.delivery.js';

/** The service of the shelter. */
@Module({
  imports: [
    PetstoreModule.forRoot({
      name: 'shelter',
      title: 'City shelter',
      migrations: [CreateShelter1796000000000],
    }),
    AuthModule.register({ verifier: TokenVerifier }),
    PetsModule.register({
      controller: ShelterPetsController,
      repository: ShelterPetsRepository,
      entity: ShelterPetEntity,
    }),
    StoreModule,
    MessagesModule.register({ deliver: WebhookDelivery, attempts: 5, retryAfterMs }),
    ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true, load: [shelterConfig] }),
    ScheduleModule.forRoot(),
    VisitsModule,
  ],
  controllers: [PetsV2Controller],
  providers: [
    { provide: APP_GUARD, useClass: BlockListGuard },
    { provide: APP_INTERCEPTOR, useClass: SlowRequestInterceptor },
    { provide: APP_FILTER, useClass: ReportingFilter },
  ],
})
export class ShelterModule {}
