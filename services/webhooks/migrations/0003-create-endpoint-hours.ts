// How the attempts of each endpoint ended, by hour. docs/spec/webhooks.md#health-of-the-last-day
// `durations`: attempts by bucket (#contracts/duration-buckets). No foreign key: the result of an attempt may come after its endpoint was
// deleted. endpoint_hours_age serves retention.
import type { QueryRunner } from 'typeorm'

const hours = `
  create table endpoint_hours (
    shop_id uuid not null,
    endpoint_id uuid not null,
    hour timestamptz(3) not null,
    attempts integer not null,
    succeeded integer not null,
    durations integer[] not null,
    primary key (shop_id, endpoint_id, hour)
  ) with (fillfactor = 50);
  create index endpoint_hours_age on endpoint_hours using brin (hour);
`

export class CreateEndpointHours1764200000000 {
  name = 'CreateEndpointHours1764200000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(hours)
  }
}
