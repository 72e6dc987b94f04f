import { bigintTransformer } from 'petstore';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A customer's review of an animal. */
@Entity('review')
export class ReviewEntity {
  /** TypeORM returns the values of a `bigint` column as strings. */
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: string;

  @Column('bigint', { name: 'pet_id', transformer: bigintTransformer })
  petId!: bigint;

  @Column('integer')
  stars!: number;

  @Column('text')
  text!: string;
}
