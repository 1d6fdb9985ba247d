// Deliveries of a large shop: the one that the product has made is copied inside PostgreSQL under new ids, with its event and its attempt.
import type { Cluster } from '../cluster.ts'

type Wanted = { shop: string; endpoint: string; count: number; failed: number }

const COPY_ROWS = 20_000
const EVERY_S = 0.5

/** Copies the shop's only delivery; `failed` of them, spread evenly, were given up. */
export async function copyDeliveries(cluster: Cluster, { shop, endpoint, count, failed }: Wanted): Promise<void> {
  const every = Math.max(1, Math.floor(count / Math.max(failed, 1)))
  for (let from = 1; from <= count; from += COPY_ROWS) {
    const to = Math.min(from + COPY_ROWS - 1, count)
    await cluster.query(copyText, [shop, endpoint, from, to, EVERY_S, every, failed])
  }
  await cluster.query('analyze webhooks.events, webhooks.deliveries, webhooks.attempts')
}

// An id of an event or a delivery begins with its instant. $1 the shop, $2 the endpoint, $3 first and $4 last number, $5 seconds between two, $6 each how many fails, $7 how many fail.
const copyText = `
  with template as materialized (
    select e.id, e.object_id, e.type, e.body, e.position, d.sequence, d.endpoint_id
    from webhooks.deliveries d join webhooks.events e on e.shop_id = d.shop_id and e.id = d.event_id
    where d.shop_id = $1 and d.endpoint_id = $2 order by d.happened_at desc limit 1
  ), numbers as materialized (
    select n, overlay(gen_random_uuid()::text placing at_hex from 1 for 13)::uuid as event, gen_random_uuid() as object,
      overlay(gen_random_uuid()::text placing at_hex from 1 for 13)::uuid as delivery, at,
      n % $6::int = 0 and n / $6::int <= $7::int as is_failed
    from generate_series($3::int, $4::int) n,
      date_trunc('milliseconds', now() - make_interval(secs => n * $5::float8)) at,
      lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') hex,
      concat(left(hex, 8), '-', right(hex, 4)) at_hex
  ), events as (
    insert into webhooks.events (id, shop_id, object_id, sequence, type, body, happened_at, position)
    select event, $1, object, t.sequence, t.type, replace(t.body, t.id::text, event::text), at, t.position
    from numbers, template t
  ), deliveries as (
    insert into webhooks.deliveries (id, shop_id, endpoint_id, event_id, object_id, sequence, type, state, attempts, happened_at)
    select delivery, $1, t.endpoint_id, event, object, t.sequence, t.type,
      case when is_failed then 'failed' else 'delivered' end, 1, at
    from numbers, template t
  )
  insert into webhooks.attempts
    (delivery_id, shop_id, number, reason, started_at, duration_ms, status, error, excerpt, happened_at)
  select delivery, $1, 1, 'scheduled', at, 20, case when is_failed then 500 else 200 end, null, '', at from numbers`
