// The outbox, for the message audit.entry, and what its receiver has refused. docs/spec/outboxes.md
import type { QueryRunner } from 'typeorm'
import { outboxFailureTable } from '#outbox/failures'
import { outboxObjectColumn, outboxTable } from '#outbox/messages'

export class CreateOutbox1763900000001 {
  name = 'CreateOutbox1763900000001'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(outboxTable)
    await runner.query(outboxObjectColumn)
    await runner.query(outboxFailureTable)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table outbox, outbox_failures')
  }
}
