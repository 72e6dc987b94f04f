import { Expose, Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsDefined,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  Min,
  MinLength,
  Validate,
  ValidateNested,
} from 'class-validator';
import { Int64Field } from 'petstore';

import { IsKnownChip } from './is-known-chip.constraint.js';

/** The owner of the animal. */
export class Owner {
  @IsString()
  readonly name!: string;

  @Int64Field({ example: 7 })
  readonly customerId!: bigint;
}

/** A treatment of the animal. */
export class Treatment {
  @MinLength(3, { message: 'The name of a treatment has at least 3 characters.' })
  readonly name!: string;

  @Min(1)
  @Max(10)
  @IsInt()
  readonly doses!: number;

  @Int64Field({ example: 4711 })
  readonly lotId!: bigint;
}

/** A visit to record. */
export class NewVisit {
  @Int64Field({ example: 1 })
  readonly petId!: bigint;

  @Expose({ name: 'insurance_id' })
  @IsOptional()
  @Int64Field({ example: 1 })
  readonly insuranceId?: bigint;

  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @MinLength(2)
  @IsString()
  readonly reason!: string;

  @Min(1)
  @Max(90_000)
  @IsInt()
  readonly weightGrams!: number;

  @IsOptional()
  @IsString()
  readonly notes?: string | null;

  @Expose({ name: 'chip_number' })
  @IsOptional()
  @Validate(IsKnownChip)
  readonly chipNumber?: string;

  @IsIn(['low', 'high'])
  readonly urgency: string = 'low';

  @IsDefined()
  @ValidateNested()
  @Type(() => Owner)
  readonly owner!: Owner;

  @ArrayMaxSize(3)
  @ValidateNested({ each: true })
  @IsArray()
  @Type(() => Treatment)
  readonly treatments: Treatment[] = [];
}

/** A note on a visit, without validation rules. */
export class Note {
  readonly text!: string;
}

/** The visits to list. */
export class ListVisitsQuery {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  readonly limit: number = 20;

  @IsOptional()
  @IsIn(['low', 'high'])
  readonly urgency?: string;
}

/** The path of a treatment. */
export class TreatmentParams {
  @IsString()
  readonly visitId!: string;

  @Type(() => Number)
  @IsInt()
  readonly index!: number;
}
