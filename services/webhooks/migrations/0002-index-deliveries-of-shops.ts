// Indexes for the list of deliveries over all endpoints of a shop: GET /shops/{shop}/deliveries. docs/spec/webhooks.md#delivery-log
// An id begins with the instant of its event, so the primary key is the order of that list without a filter.
import type { QueryRunner } from 'typeorm'

const indexes = `
  create index deliveries_shop_state on deliveries (shop_id, state, happened_at desc, id desc);
  create index deliveries_shop_type on deliveries (shop_id, type, happened_at desc, id desc);
  create index deliveries_shop_object on deliveries (shop_id, object_id, happened_at desc, id desc);
`

export class IndexDeliveriesOfShops1764100000000 {
  name = 'IndexDeliveriesOfShops1764100000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(indexes)
  }
}
