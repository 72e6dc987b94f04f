import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddPetNicknames1795300000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE pet ADD COLUMN shop_nicknames text[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE pet DROP COLUMN shop_nicknames');
  }
}
