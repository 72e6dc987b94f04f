import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RemoveDeliveredMessages1795593600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX message_delivered_at_idx ON message (delivered_at) WHERE delivered_at IS NOT NULL`,
    );
    await queryRunner.query(`DROP INDEX message_parked_at_idx`);
    await queryRunner.query(`CREATE INDEX message_parked_id_idx ON message (id) WHERE parked_at IS NOT NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX message_parked_id_idx`);
    await queryRunner.query(
      `CREATE INDEX message_parked_at_idx ON message (parked_at) WHERE parked_at IS NOT NULL`,
    );
    await queryRunner.query(`DROP INDEX message_delivered_at_idx`);
  }
}
