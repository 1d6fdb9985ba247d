// Indexes for the filter by object and for the list of replays; the last four characters of a secret as it is shown, which ends
// with one character of padding. Without a transaction, so that writes do not wait for all days. docs/spec/data-model.md#days
import type { QueryRunner } from 'typeorm'
import { indexPartitions } from '#postgres/partitions'

export class IndexFilters1763600000070 {
  name = 'IndexFilters1763600000070'
  transaction = false

  async up(runner: QueryRunner): Promise<void> {
    await indexPartitions(runner, 'events', 'events_object', 'shop_id, object_id, happened_at desc, id desc')
    await indexPartitions(
      runner,
      'deliveries',
      'deliveries_object',
      'endpoint_id, object_id, happened_at desc, id desc',
    )
    await runner.query('create index if not exists replays_newest on replays (endpoint_id, created_at desc, id desc)')
    await runner.query('drop index if exists replays_endpoint')
    await runner.query(
      `update endpoints set secret_last_four = right(secret_last_four, 3) || '=' where secret_last_four not like '%='`,
    )
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('create index replays_endpoint on replays (endpoint_id)')
    await runner.query('drop index replays_newest, deliveries_object, events_object')
  }
}
