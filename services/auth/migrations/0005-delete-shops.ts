// Deleting a shop: docs/spec/back-office.md#deleting-a-shop
// A deleted shop keeps its row until everything else of it is gone; its handle is free at once. `shop_deletions` has no foreign key: a
// deletion outlives its shop by a day, so that rows which arrive late are deleted too. `stage`: the service whose rows are deleted now;
// `pass_rows`: rows that this pass over all services has found; `lease`: the process that works on it until `next_at`.
import type { QueryRunner } from 'typeorm'
import { shopRowsFunction } from '#postgres/shop-rows'

const deletions = `
  alter table shops add column deleted_at timestamptz(3);
  drop index shops_handle;
  create unique index shops_handle on shops (handle) where deleted_at is null;

  create table shop_deletions (
    shop_id uuid primary key,
    asked_at timestamptz(3) not null,
    stage integer not null default 0,
    pass_began_at timestamptz(3) not null,
    pass_rows bigint not null default 0,
    rows bigint not null default 0,
    gone_at timestamptz(3),
    checks integer not null default 0,
    lease uuid,
    next_at timestamptz not null
  );
  create index shop_deletions_next on shop_deletions (next_at);

  -- Chunks have no column shop_id: they go with the files that they refer to.
  alter table import_chunks add foreign key (file_id) references import_files;
`

export class DeleteShops1764310000000 {
  name = 'DeleteShops1764310000000'

  async up(runner: QueryRunner): Promise<void> {
    for (const text of [deletions, shopRowsFunction]) await runner.query(text)
  }
}
