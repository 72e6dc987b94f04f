import { WsAdapter } from '@nestjs/platform-ws';
import {
  type Composition,
  MessagesModule,
  NewPet,
  Pet,
  PetsModule,
  PetsRepository,
  StoreModule,
} from 'petstore';

import { AuditedPetsRepository } from './audit/audited-pets.repository.js';
import { CreateAuditTrail1795300000001 } from './audit/create-audit-trail.migration.js';
import { CategoriesModule } from './categories/categories.module.js';
import { CreateCategories1795300000000 } from './categories/create-categories.migration.js';
import { clinicConfig } from './clinic/clinic.config.js';
import { ClinicModule } from './clinic/clinic.module.js';
import { CreateReviews1795300000002 } from './reviews/create-reviews.migration.js';
import { ReviewsModule } from './reviews/reviews.module.js';
import { AddPetNicknames1795300000003 } from './nicknames/add-pet-nicknames.migration.js';
import { NewNicknamedPet, NicknamedPet } from './nicknames/nicknamed-pet.dto.js';
import { authModule } from './tokens/auth.module.js';
import { tokensConfig } from './tokens/tokens.config.js';
import { webhookConfig } from './webhooks/webhook.config.js';
import { WebhookDelivery } from './webhooks/webhook.delivery.js';

/** The pet store of this company. */
export const composition: Composition = {
  features: [
    authModule,
    PetsModule,
    StoreModule,
    MessagesModule.register({ deliver: WebhookDelivery }),
    CategoriesModule,
    ReviewsModule,
    ClinicModule,
  ],
  config: [tokensConfig, webhookConfig, clinicConfig],
  replace: [{ provide: PetsRepository, useClass: AuditedPetsRepository }],
  dtos: [
    { provide: NewPet, useClass: NewNicknamedPet },
    { provide: Pet, useClass: NicknamedPet },
  ],
  migrations: [
    CreateCategories1795300000000,
    CreateAuditTrail1795300000001,
    CreateReviews1795300000002,
    AddPetNicknames1795300000003,
  ],
  errorCodes: { review_rejected: 422 },
  scopes: { createReview: 'reviews:write' },
  tags: {
    Categories: 'Categories of animals.',
    Reviews: 'Reviews of animals.',
    Clinic: 'Prices of treatments.',
  },
  configure: (app) => {
    app.useWebSocketAdapter(new WsAdapter(app));
    app.enableShutdownHooks();
  },
};
