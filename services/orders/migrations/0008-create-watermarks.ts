// Adds the watermark of the list of orders. docs/spec/sync.md#watermark
import type { QueryRunner } from 'typeorm'
import { noWatermarks, watermarks } from '#postgres/watermark'

export class CreateWatermarks1763600000081 {
  name = 'CreateWatermarks1763600000081'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(watermarks('orders', 'orders'))
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(noWatermarks('orders'))
  }
}
