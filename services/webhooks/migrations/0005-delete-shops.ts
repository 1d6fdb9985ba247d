// Deletes the rows of a shop, table by table: docs/spec/back-office.md#deleting-a-shop
import type { QueryRunner } from 'typeorm'
import { shopRowsFunction } from '#postgres/shop-rows'

export class DeleteShops1764310000000 {
  name = 'DeleteShops1764310000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(shopRowsFunction)
  }
}
