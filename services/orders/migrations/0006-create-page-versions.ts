// Owns the versions of the list of orders. design/speed.md 2.1.3; libs/postgres/page-version.ts says how they work.
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
