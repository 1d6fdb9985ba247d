// Adds the watermark of a page of orders that one statement reads with its page. docs/spec/integrators.md#watermark
import type { QueryRunner } from 'typeorm'
import { noPageWatermarks, pageWatermarks } from '#postgres/watermark'

export class ReadWatermarkWithPage1763600000181 {
  name = 'ReadWatermarkWithPage1763600000181'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(pageWatermarks('orders', 'orders'))
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(noPageWatermarks('orders'))
  }
}
