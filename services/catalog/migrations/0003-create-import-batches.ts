// The columns that remember which batch of an import wrote a key, and its result.
// docs/spec/imports.md#identity-and-re-import
import type { QueryRunner } from 'typeorm'
import { batchColumns } from '#postgres/external-reference'

export class CreateImportBatches1763600000033 {
  name = 'CreateImportBatches1763600000033'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(batchColumns)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table external_references drop column batch, drop column told')
  }
}
