import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdempotencyKeys1763596800004 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE idempotency_key (
        account_id bigint NOT NULL CONSTRAINT idempotency_key_account_id_fkey REFERENCES account (id),
        key text NOT NULL,
        operation text NOT NULL,
        fingerprint bytea NOT NULL,
        outcome text NOT NULL,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT idempotency_key_pkey PRIMARY KEY (account_id, key)
      )`);
    await queryRunner.query(`CREATE INDEX idempotency_key_created_at_idx ON idempotency_key (created_at)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE idempotency_key`);
  }
}
