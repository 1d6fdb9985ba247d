// The versions of the list of products. docs/spec/internals.md#page-cache
import type { QueryRunner } from 'typeorm'
import { noPageVersions, pageVersions } from '#postgres/page-version'

export class CreatePageVersions1763600000053 {
  name = 'CreatePageVersions1763600000053'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(pageVersions('catalog', 'products'))
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(noPageVersions('catalog', 'products'))
  }
}
