import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Idempotent,
  IdempotencyService,
  IdempotentRequest,
  Int64Param,
  PetNotFound,
  REPLAYED,
  Stability,
} from 'petstore';

import { NewReview, Review } from './review.dto.js';
import { ReviewRejected } from './review.errors.js';
import { ReviewsService } from './reviews.service.js';

@ApiTags('Reviews')
@Controller('v1/pets/:petId/reviews')
export class ReviewsController {
  constructor(
    private readonly reviews: ReviewsService,
    private readonly idempotency: IdempotencyService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the reviews of an animal' })
  @Stability('experimental')
  @ApiOkResponse({ type: [Review], description: 'The reviews, the newest first.' })
  @ApiErrors('not_found')
  listReviews(@Int64Param('petId', PetNotFound, 'The id of the animal.') petId: bigint): Promise<Review[]> {
    return this.reviews.list(petId);
  }

  @Post()
  @ApiOperation({ summary: 'Review an animal' })
  @Stability('experimental')
  @ApiCreatedResponse({ type: Review, description: 'The review, with its id.', headers: REPLAYED })
  @Idempotent()
  @ApiErrors('invalid_request', 'not_found', 'payload_too_large', new ReviewRejected())
  createReview(
    @Int64Param('petId', PetNotFound, 'The id of the animal.') petId: bigint,
    @Body() newReview: NewReview,
    @IdempotentRequest() request: IdempotentRequest,
  ): Promise<Review> {
    return this.idempotency.run(request, newReview, (transaction) =>
      this.reviews.create(petId, newReview, transaction),
    );
  }
}
