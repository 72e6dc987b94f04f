import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ExpireRevokedKeys1795564800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX api_key_account_id_id_idx`);
    await queryRunner.query(
      `CREATE INDEX api_key_account_id_id_idx ON api_key (account_id, id) WHERE revoked_at IS NULL`,
    );
    await queryRunner.query(
      `CREATE INDEX api_key_revoked_at_idx ON api_key (revoked_at) WHERE revoked_at IS NOT NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX api_key_revoked_at_idx`);
    await queryRunner.query(`DROP INDEX api_key_account_id_id_idx`);
    await queryRunner.query(`CREATE INDEX api_key_account_id_id_idx ON api_key (account_id, id)`);
  }
}
