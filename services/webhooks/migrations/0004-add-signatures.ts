// The headers of an attempt that cannot be made again: the second that was signed, and the signatures. Null for attempts from before.
// docs/spec/webhooks.md#attempt-object
import type { QueryRunner } from 'typeorm'

export class AddSignatures1764300000000 {
  name = 'AddSignatures1764300000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table attempts add column stamp_s bigint, add column signature text')
  }
}
