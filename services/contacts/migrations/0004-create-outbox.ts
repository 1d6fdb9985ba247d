// The outbox, for the message contact.erased. docs/spec/outboxes.md
import type { QueryRunner } from 'typeorm'
import { outboxTable } from '#outbox/messages'

export class CreateOutbox1763600000041 {
  name = 'CreateOutbox1763600000041'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(outboxTable)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table outbox')
  }
}
