// Views of the console, which operators have named. docs/spec/operators-and-roles.md#views
// The root operator has views and no row in `operators`, so `operator_id` refers to no table.
import type { QueryRunner } from 'typeorm'

const views = `
  create table views (
    id uuid primary key,
    operator_id uuid not null,
    name text not null check (name <> ''),
    path text not null check (path <> ''),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create unique index views_name on views (operator_id, name);
  create index views_newest on views (operator_id, created_at desc, id desc);
`

export class CreateViews1764100000000 {
  name = 'CreateViews1764100000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(views)
  }
}
