// Adds the watermark of the list of contacts. docs/spec/sync.md#watermark
import type { QueryRunner } from 'typeorm'
import { noWatermarks, watermarks } from '#postgres/watermark'

export class CreateWatermarks1763600000082 {
  name = 'CreateWatermarks1763600000082'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(watermarks('contacts', 'contacts'))
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(noWatermarks('contacts'))
  }
}
