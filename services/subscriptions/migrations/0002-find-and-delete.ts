// Finds the memberships of a contact (docs/spec/back-office.md#the-data-of-one-person), and deletes the rows of a shop
// (docs/spec/back-office.md#deleting-a-shop).
import type { QueryRunner } from 'typeorm'
import { shopRowsFunction } from '#postgres/shop-rows'

const index = 'create index subscriptions_contact on subscriptions (shop_id, client_id, created_at desc, id desc)'

export class FindAndDelete1764310000000 {
  name = 'FindAndDelete1764310000000'

  async up(runner: QueryRunner): Promise<void> {
    for (const text of [index, shopRowsFunction]) await runner.query(text)
  }
}
