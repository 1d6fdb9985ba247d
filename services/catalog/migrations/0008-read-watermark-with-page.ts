// Adds the watermark of a page of products that one statement reads with its page. docs/spec/integrators.md#watermark
import type { QueryRunner } from 'typeorm'
import { noPageWatermarks, pageWatermarks } from '#postgres/watermark'

export class ReadWatermarkWithPage1763600000183 {
  name = 'ReadWatermarkWithPage1763600000183'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(pageWatermarks('catalog', 'products'))
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(noPageWatermarks('catalog'))
  }
}
