// Adds the index that finds few changed orders of a shop. docs/spec/internals.md#changed-rows
import type { QueryRunner } from 'typeorm'

export class IndexChanges1763600000058 {
  name = 'IndexChanges1763600000058'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index orders_changed on orders.orders (shop_id, updated_at desc)')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index orders.orders_changed')
  }
}
