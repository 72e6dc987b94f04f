import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateMessages1763596800003 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE message (
        id uuid CONSTRAINT message_pkey PRIMARY KEY,
        account_id bigint NOT NULL CONSTRAINT message_account_id_fkey REFERENCES account (id),
        message text NOT NULL,
        status text NOT NULL CONSTRAINT message_status_check CHECK (status IN ('queued')),
        created_at timestamptz(3) NOT NULL
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE message`);
  }
}
