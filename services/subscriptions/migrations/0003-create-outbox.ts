// The outbox, for the message audit.entry. docs/spec/outboxes.md
import type { QueryRunner } from 'typeorm'
import { outboxObjectColumn, outboxTable } from '#outbox/messages'

export class CreateOutbox1763900000002 {
  name = 'CreateOutbox1763900000002'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(outboxTable)
    await runner.query(outboxObjectColumn)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table outbox')
  }
}
