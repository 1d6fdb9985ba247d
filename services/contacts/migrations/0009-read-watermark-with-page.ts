// Adds the watermark of a page of contacts that one statement reads with its page. docs/spec/integrators.md#watermark
import type { QueryRunner } from 'typeorm'
import { noPageWatermarks, pageWatermarks } from '#postgres/watermark'

export class ReadWatermarkWithPage1763600000182 {
  name = 'ReadWatermarkWithPage1763600000182'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(pageWatermarks('contacts', 'contacts'))
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(noPageWatermarks('contacts'))
  }
}
