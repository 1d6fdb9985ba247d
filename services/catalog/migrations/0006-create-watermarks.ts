// Adds the watermark of the list of products. docs/spec/sync.md#watermark
import type { QueryRunner } from 'typeorm'
import { noWatermarks, watermarks } from '#postgres/watermark'

export class CreateWatermarks1763600000083 {
  name = 'CreateWatermarks1763600000083'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(watermarks('catalog', 'products'))
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(noWatermarks('catalog'))
  }
}
