// Adds the versions of the list of orders. docs/spec/internals.md#page-cache
import type { QueryRunner } from 'typeorm'
import { noPageVersions, pageVersions } from '#postgres/page-version'

export class CreatePageVersions1763600000052 {
  name = 'CreatePageVersions1763600000052'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(pageVersions('orders', 'orders'))
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(noPageVersions('orders', 'orders'))
  }
}
