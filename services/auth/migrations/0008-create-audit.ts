// The audit of the back office, by month. Its indexes are in the order of its lists. docs/spec/audit.md
import type { QueryRunner } from 'typeorm'
import { partitionFunctions } from '#postgres/partitions'

export class CreateAudit1763900000020 {
  name = 'CreateAudit1763900000020'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${partitionFunctions('month')}
      create table audit_entries (
        id uuid not null,
        at timestamptz(3) not null,
        operator_id uuid,
        operator_name text,
        via text,
        source text not null,
        request_id text,
        action text not null,
        method text not null,
        route text not null,
        shop_id uuid,
        object_type text not null,
        object_id uuid,
        outcome text not null,
        code text,
        changes text not null,
        primary key (id, at)
      ) partition by range (at);
      create index audit_entries_newest on audit_entries (at desc, id desc);
      create index audit_entries_shop on audit_entries (shop_id, at desc, id desc) where shop_id is not null;
      create index audit_entries_operator on audit_entries (operator_id, at desc, id desc);
      create index audit_entries_action on audit_entries (action, at desc, id desc);
      create index audit_entries_object on audit_entries (object_id, at desc, id desc) where object_id is not null;
      select make_months('audit_entries', current_date - 1, 3)`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table audit_entries; drop function make_months, drop_months')
  }
}
