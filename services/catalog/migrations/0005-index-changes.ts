// Owns the index by which few changes of a shop are found. libs/paging/changed-page.ts says what for.
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
