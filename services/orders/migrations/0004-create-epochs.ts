// The epochs of restored shops. docs/spec/events.md#epoch
import type { QueryRunner } from 'typeorm'
import { epochTable } from '#outbox/epochs'

export class CreateEpochs1764700000000 {
  name = 'CreateEpochs1764700000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(epochTable)
  }
}
