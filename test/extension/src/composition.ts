import {
  AuthModule,
  type Composition,
  MessagesModule,
  PetsModule,
  PetsRepository,
  StoreModule,
} from 'petstore';

import { AuditedPetsRepository } from './audit/audited-pets.repository.js';
import { CreateAuditTrail1795300000001 } from './audit/create-audit-trail.migration.js';
import { CategoriesModule } from './categories/categories.module.js';
import { CreateCategories1795300000000 } from './categories/create-categories.migration.js';
import { ClinicModule } from './clinic/clinic.module.js';
import { CreateReviews1795300000002 } from './reviews/create-reviews.migration.js';
import { ReviewsModule } from './reviews/reviews.module.js';
import { TokenVerifier } from './tokens/token-verifier.js';
import { WebhookDelivery } from './webhooks/webhook.delivery.js';

/** The pet store of this company. */
export const composition: Composition = {
  features: [
    AuthModule.register({ verifier: TokenVerifier }),
    PetsModule,
    StoreModule,
    MessagesModule.register({ deliver: WebhookDelivery }),
    CategoriesModule,
    ReviewsModule,
    ClinicModule,
  ],
  replace: [{ provide: PetsRepository, useClass: AuditedPetsRepository }],
  migrations: [CreateCategories1795300000000, CreateAuditTrail1795300000001, CreateReviews1795300000002],
  tags: { Categories: 'Categories of animals.', Reviews: 'Reviews of animals.' },
};
