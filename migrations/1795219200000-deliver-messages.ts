import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeliverMessages1795219200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE message
        ADD COLUMN due_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN attempts integer NOT NULL DEFAULT 0,
        ADD COLUMN last_error text,
        ADD COLUMN delivered_at timestamptz(3),
        ADD COLUMN parked_at timestamptz(3)`);
    await queryRunner.query(`
      CREATE INDEX message_due_at_id_idx ON message (due_at, id)
      WHERE delivered_at IS NULL AND parked_at IS NULL`);
    await queryRunner.query(
      `CREATE INDEX message_parked_at_idx ON message (parked_at) WHERE parked_at IS NOT NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE message
        DROP COLUMN due_at,
        DROP COLUMN attempts,
        DROP COLUMN last_error,
        DROP COLUMN delivered_at,
        DROP COLUMN parked_at`);
  }
}
