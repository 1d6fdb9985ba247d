// The log of requests that were not answered 2xx, and how calls were answered in each minute. docs/spec/request-log.md
//
// `request_seconds`: how many requests of a shop and second are kept and how many were not; `granted` of them came with the last report.
// Both tables are partitioned by day, so that days are dropped as a whole. The columns of usage_minutes have constant defaults, which
// rewrites nothing; processes of the earlier release go on inserting without them.
import type { QueryRunner } from 'typeorm'
import { partitionFunctions } from '#postgres/partitions'

export class CreateRequests1763900000010 {
  name = 'CreateRequests1763900000010'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table usage_minutes
        add column answers_2xx bigint not null default 0,
        add column answers_4xx bigint not null default 0,
        add column answers_5xx bigint not null default 0,
        add column durations integer[] not null default '{}';

      ${partitionFunctions('day')}
      create table requests (
        shop_id uuid not null,
        at timestamptz(3) not null,
        row_id uuid not null default gen_random_uuid(),
        id text not null,
        key_id uuid not null,
        method text not null,
        route text,
        tool text,
        status integer not null,
        code text,
        message text,
        duration_ms integer not null,
        source text
      ) partition by range (at);
      create index requests_newest on requests (shop_id, at desc, row_id desc);
      create index requests_key on requests (shop_id, key_id, at desc, row_id desc);
      create index requests_status on requests (shop_id, status, at desc, row_id desc);
      create index requests_id on requests (shop_id, id, at desc, row_id desc);
      create table request_seconds (
        shop_id uuid not null,
        second timestamptz(3) not null,
        kept integer not null,
        granted integer not null,
        skipped bigint not null,
        primary key (shop_id, second)
      ) partition by range (second);
      create index request_seconds_skipped on request_seconds (shop_id, second) include (skipped) where skipped > 0;
      select make_days('requests', current_date - 1, 5), make_days('request_seconds', current_date - 1, 5)`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table request_seconds, requests;
      drop function make_days, drop_days;
      alter table usage_minutes
        drop column answers_2xx, drop column answers_4xx, drop column answers_5xx, drop column durations`)
  }
}
