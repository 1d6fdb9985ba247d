// A change reads the newest stamp of the shop by the index, also in a session that began while the table was nearly empty.
// docs/spec/sync.md#watermark
import type { QueryRunner } from 'typeorm'
import { beginChangeFunction } from '#postgres/watermark'

export class ReadNewestStampByIndex1764320000000 {
  name = 'ReadNewestStampByIndex1764320000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(beginChangeFunction('orders', 'orders'))
  }
}
