import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { Int64Field, TextField } from 'petstore';

/** A review to add. */
export class NewReview {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 5, example: 4 })
  @IsInt()
  @Min(1)
  @Max(5)
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
