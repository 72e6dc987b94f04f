import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables of the shelter have a prefix, so that later versions of the package cannot have the same names. */
export class CreateShelter1796000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE pet ADD COLUMN shelter_tags text[], ADD COLUMN shelter_microchip text');
    await runner.query('CREATE INDEX pet_shelter_microchip_idx ON pet (shelter_microchip, id)');
    await runner.query(`
      CREATE TABLE shelter_visit (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT shelter_visit_pkey PRIMARY KEY,
        pet_id bigint NOT NULL CONSTRAINT shelter_visit_pet_id_fkey REFERENCES pet,
        day date NOT NULL,
        reason text NOT NULL,
        CONSTRAINT shelter_visit_pet_id_day_key UNIQUE (pet_id, day)
      )`);
    await runner.query(`
      CREATE TABLE shelter_job_run (
        job text NOT NULL,
        hour timestamptz NOT NULL,
        CONSTRAINT shelter_job_run_pkey PRIMARY KEY (job, hour)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE shelter_job_run, shelter_visit');
    await runner.query('ALTER TABLE pet DROP COLUMN shelter_microchip, DROP COLUMN shelter_tags');
  }
}
