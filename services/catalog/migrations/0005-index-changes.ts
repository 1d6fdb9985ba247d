// The index that finds few changed rows of a shop. docs/spec/internals.md#changed-rows
import type { QueryRunner } from 'typeorm'

export class IndexChanges1763600000059 {
  name = 'IndexChanges1763600000059'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index products_changed on catalog.products (shop_id, updated_at desc)')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index catalog.products_changed')
  }
}
