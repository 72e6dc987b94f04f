import { ApiProperty } from '@nestjs/swagger';
import { Int64Field, IntegerField, TextField } from 'petstore';

/** A review to add. */
export class NewReview {
  @IntegerField({ min: 1, max: 5, example: 4 })
  readonly stars!: number;

  @TextField({ maxLength: 1000, example: 'Purrs all day.' })
  readonly text!: string;
}

/** A review of an animal. */
export class Review extends NewReview {
  @ApiProperty({ example: '7' })
  readonly id!: string;

  @Int64Field({ example: 42 })
  readonly petId!: bigint;
}
