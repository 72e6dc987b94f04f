import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes only active keys, so that looking up a revoked key takes as long as looking up any other invalid key. */
export class IndexKeysInForce1795222800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE UNIQUE INDEX api_key_hash_idx ON api_key (hash) WHERE revoked_at IS NULL`,
    );
    await queryRunner.query(`ALTER TABLE api_key DROP CONSTRAINT api_key_hash_key`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE api_key ADD CONSTRAINT api_key_hash_key UNIQUE (hash)`);
    await queryRunner.query(`DROP INDEX api_key_hash_idx`);
  }
}
