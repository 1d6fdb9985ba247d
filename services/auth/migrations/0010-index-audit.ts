// Indexes for a shop's audit entries by operator and by action; drop_months as drop_days is. Without a transaction, so that writes do
// not wait for all months. docs/spec/audit.md
import type { QueryRunner } from 'typeorm'
import { indexPartitions, partitionFunctions } from '#postgres/partitions'

export class IndexAudit1763900000040 {
  name = 'IndexAudit1763900000040'
  transaction = false

  async up(runner: QueryRunner): Promise<void> {
    // In one statement, so that processes of the release before find one of the two.
    await runner.query(`drop function if exists drop_months(text, date); ${partitionFunctions('month')}`)
    const columns = { operator: 'shop_id, operator_id, at desc, id desc', action: 'shop_id, action, at desc, id desc' }
    await indexPartitions(runner, 'audit_entries', 'audit_entries_shop_operator', columns.operator)
    await indexPartitions(runner, 'audit_entries', 'audit_entries_shop_action', columns.action)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index audit_entries_shop_operator, audit_entries_shop_action')
  }
}
