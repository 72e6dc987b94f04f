import { exitWith, petstoreCommand } from 'petstore';

import { composition } from './composition.js';
import { reviewsCommand } from './reviews/reviews.command.js';

try {
  await petstoreCommand(composition).addCommand(reviewsCommand(composition)).parseAsync();
} catch (error) {
  exitWith(error);
}
