import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyModule, PetsModule } from 'petstore';

import { ReviewEntity } from './review.entity.js';
import { ReviewsController } from './reviews.controller.js';
import { ReviewsService } from './reviews.service.js';

/** Reviews of animals. */
@Module({
  imports: [TypeOrmModule.forFeature([ReviewEntity]), IdempotencyModule, PetsModule],
  controllers: [ReviewsController],
  providers: [ReviewsService],
})
export class ReviewsModule {}
