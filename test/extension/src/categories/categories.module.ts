import { Module } from '@nestjs/common';
import { IdempotencyModule } from 'petstore';

import { CategoriesController } from './categories.controller.js';
import { CategoriesRepository } from './categories.repository.js';
import { CategoriesService } from './categories.service.js';

/** Categories of animals. */
@Module({
  imports: [IdempotencyModule],
  controllers: [CategoriesController],
  providers: [CategoriesService, CategoriesRepository],
})
export class CategoriesModule {}
