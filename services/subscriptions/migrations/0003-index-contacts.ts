// Finds the memberships of a contact: docs/spec/back-office.md#the-data-of-one-person
import type { QueryRunner } from 'typeorm'

export class IndexContacts1764300000000 {
  name = 'IndexContacts1764300000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create index subscriptions_contact on subscriptions (shop_id, client_id, created_at desc, id desc)',
    )
  }
}
