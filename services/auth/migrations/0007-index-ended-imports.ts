// Finds imports that ended long ago, for their deletion. docs/spec/data-model.md#retention
import type { QueryRunner } from 'typeorm'
import { buildIndex } from '#postgres/migrations/build-index'

export class IndexEndedImports1764700000000 {
  name = 'IndexEndedImports1764700000000'
  transaction = false

  async up(runner: QueryRunner): Promise<void> {
    const definition = '(coalesce(finished_at, updated_at)) where finished_at is not null or chunks is null'
    await buildIndex(runner, { name: 'imports_ended', table: 'imports', definition })
  }
}
