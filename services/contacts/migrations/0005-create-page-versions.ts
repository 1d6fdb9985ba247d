// The versions of the list of contacts. docs/spec/internals.md#page-cache
import type { QueryRunner } from 'typeorm'
import { noPageVersions, pageVersions } from '#postgres/page-version'

export class CreatePageVersions1763600000051 {
  name = 'CreatePageVersions1763600000051'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(pageVersions('contacts', 'contacts'))
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(noPageVersions('contacts', 'contacts'))
  }
}
