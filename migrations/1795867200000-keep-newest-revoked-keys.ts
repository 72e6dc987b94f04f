import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes the revoked keys of an account, of which the service keeps the newest ones. */
export class KeepNewestRevokedKeys1795867200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX api_key_account_id_revoked_at_idx ON api_key (account_id, revoked_at)
       WHERE revoked_at IS NOT NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX api_key_account_id_revoked_at_idx`);
  }
}
