// Messages of the outbox that their receivers refused. docs/spec/outboxes.md#refused-messages
import type { QueryRunner } from 'typeorm'
import { outboxFailureTable } from '#outbox/failures'

export class CreateOutboxFailures1763600000174 {
  name = 'CreateOutboxFailures1763600000174'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(outboxFailureTable)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table outbox_failures')
  }
}
