// Owns the index by which few changes of a shop are found. libs/paging/changed-page.ts says what for.
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
