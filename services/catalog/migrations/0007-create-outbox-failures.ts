// Messages of the outbox that their receivers refused; the object of a message. docs/spec/outboxes.md#refused-messages
import type { QueryRunner } from 'typeorm'
import { outboxFailureTable } from '#outbox/failures'
import { outboxObjectColumn } from '#outbox/messages'

export class CreateOutboxFailures1763600000171 {
  name = 'CreateOutboxFailures1763600000171'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(outboxFailureTable)
    await runner.query(outboxObjectColumn)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table outbox_failures; alter table outbox drop column object_id')
  }
}
