// The index that finds few changed rows of a shop. docs/spec/internals.md#changed-rows
import type { QueryRunner } from 'typeorm'

export class IndexChanges1763600000060 {
  name = 'IndexChanges1763600000060'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index contacts_changed on contacts.contacts (shop_id, updated_at desc)')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index contacts.contacts_changed')
  }
}
