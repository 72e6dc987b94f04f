import { Command } from 'commander';
import { type Composition, withServices } from 'petstore';

import { ReviewsService } from './reviews.service.js';

/** `reviews` */
export function reviewsCommand(composition: Composition): Command {
  const reviews = new Command('reviews').description('report on the reviews');
  reviews
    .command('count')
    .description('print the number of reviews')
    .action(() =>
      withServices(composition, async (services) => {
        console.log(await services.get(ReviewsService).count());
      }),
    );
  return reviews;
}
