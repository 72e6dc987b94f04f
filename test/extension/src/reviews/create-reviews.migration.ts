import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateReviews1795300000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE review (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT review_pkey PRIMARY KEY,
        pet_id bigint NOT NULL CONSTRAINT review_pet_id_fkey REFERENCES pet,
        stars integer NOT NULL,
        text text NOT NULL
      )`);
    await runner.query('CREATE INDEX review_pet_id_idx ON review (pet_id, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE review');
  }
}
