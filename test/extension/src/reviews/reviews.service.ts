import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { PetsService, type Transaction } from 'petstore';
import { Repository } from 'typeorm';

import type { NewReview, Review } from './review.dto.js';
import { ReviewEntity } from './review.entity.js';
import { ReviewRejected } from './review.errors.js';

/** The rules about reviews. */
@Injectable()
export class ReviewsService {
  constructor(
    @InjectRepository(ReviewEntity) private readonly reviews: Repository<ReviewEntity>,
    private readonly pets: PetsService,
  ) {}

  /** Lists the reviews of an animal, the newest first. */
  list(petId: bigint): Promise<Review[]> {
    return this.reviews.find({ where: { petId }, order: { id: 'DESC' } });
  }

  /** How many reviews there are. */
  count(): Promise<number> {
    return this.reviews.count();
  }

  /** @throws PetNotFound, ReviewRejected */
  async create(petId: bigint, { stars, text }: NewReview, transaction?: Transaction): Promise<Review> {
    await this.pets.get(petId, transaction);
    const reviews = transaction ? transaction.manager.withRepository(this.reviews) : this.reviews;
    const review = await reviews.save({ petId, stars, text });
    if (/spam/i.test(text)) throw new ReviewRejected();
    return review;
  }
}
