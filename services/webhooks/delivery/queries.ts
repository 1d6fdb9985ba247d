// SQL of the delivery log besides its lists (list-queries.ts): deliveries and attempts, partitioned by the day of their event (docs/spec/webhooks.md#delivery-log).
// Statements name the instant of the event where it is known, so that PostgreSQL reads one partition only.
import type { Sql } from '#postgres/connect'
import { LISTED, type ListedDelivery } from './list-queries.ts'
import { type AttemptRow, type DeliveryRow, keyInShop, type LeasedDelivery } from '../tables.ts'

/** Whether an endpoint with that id has deliveries in the log, also where it was deleted. Index: deliveries_newest, by the order. */
export async function hasDeliveries(db: Sql, shopId: string, endpointId: string): Promise<boolean> {
  const rows = await db.rows(
    'select from deliveries where shop_id = $1 and endpoint_id = $2 order by happened_at desc, id desc limit 1',
    [shopId, endpointId],
  )
  return rows.length > 0
}

/** The delivery with that id whose event happened at that instant, or null. */
export async function findDelivery(
  db: Sql,
  shopId: string,
  id: string,
  happenedAt: Date,
): Promise<ListedDelivery | null> {
  const [row] = await db.rows<ListedDelivery>(`${LISTED} where d.shop_id = $1 and d.id = $2 and d.happened_at = $3`, [
    shopId,
    id,
    happenedAt,
  ])
  return row ?? null
}

/** The newest attempts of each delivery, at most `most` of each, newest first. */
export function listAttempts(db: Sql, shopId: string, deliveries: DeliveryRow[], most: number): Promise<AttemptRow[]> {
  return db.rows(
    `select a.* from unnest($2::uuid[], $3::timestamptz[]) as d (id, happened_at)
     cross join lateral (
       select delivery_id, number, reason, started_at, duration_ms, status, error, excerpt, stamp_s, signature
       from attempts
       where shop_id = $1 and delivery_id = d.id and happened_at = d.happened_at order by number desc limit $4) as a`,
    [shopId, deliveries.map(({ id }) => id), deliveries.map(({ happened_at }) => happened_at), most],
  )
}

type NewDelivery = Omit<DeliveryRow, 'state' | 'attempts'>

/** Inserts pending deliveries; one that exists becomes pending again. The rows name their shops. */
export async function saveDeliveries(tx: Sql, rows: NewDelivery[]): Promise<void> {
  await tx.write(
    `insert into deliveries (id, shop_id, endpoint_id, event_id, object_id, sequence, type, happened_at, state)
     select *, 'pending' from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::bigint[], $7::text[],
       $8::timestamptz[]) as given (id, shop_id, endpoint_id, event_id, object_id, sequence, type, happened_at)
     on conflict (shop_id, id, happened_at) do update set state = 'pending'`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.shop_id),
      rows.map((row) => row.endpoint_id),
      rows.map((row) => row.event_id),
      rows.map((row) => row.object_id),
      rows.map((row) => row.sequence),
      rows.map((row) => row.type),
      rows.map((row) => row.happened_at),
    ],
  )
}

type State = DeliveryRow['state']
type LoggedAttempt = AttemptRow & { happened_at: Date; state: State | null }

/** Writes attempts and the new states of their deliveries; a null `state` changes nothing. */
export async function logAttempts(tx: Sql, shopId: string, attempts: LoggedAttempt[]): Promise<void> {
  if (attempts.length === 0) return
  const column = <Name extends keyof LoggedAttempt>(name: Name) => attempts.map((attempt) => attempt[name])
  const days = column('happened_at')
  await tx.write(
    `insert into attempts (shop_id, delivery_id, number, reason, started_at, duration_ms, status, error, excerpt, happened_at,
       stamp_s, signature)
     select $1, * from unnest($2::uuid[], $3::integer[], $4::text[], $5::timestamptz[], $6::integer[], $7::integer[],
       $8::text[], $9::text[], $10::timestamptz[], $11::bigint[], $12::text[]) on conflict (shop_id, delivery_id, number, happened_at) do nothing`,
    [
      shopId,
      column('delivery_id'),
      column('number'),
      column('reason'),
      column('started_at'),
      column('duration_ms'),
      column('status'),
      column('error'),
      column('excerpt'),
      days,
      column('stamp_s'),
      column('signature'),
    ],
  )
  // The instants are passed as a list as well, because PostgreSQL prunes partitions by `any(list)` and not by the join.
  await tx.write(
    `update deliveries d set attempts = greatest(d.attempts, made.number), state = coalesce(made.state, d.state)
     from unnest($2::uuid[], $3::timestamptz[], $4::integer[], $5::text[]) as made (id, happened_at, number, state)
     where d.shop_id = $1 and d.id = any($2) and d.happened_at = any($3)
       and d.id = made.id and d.happened_at = made.happened_at`,
    [shopId, column('delivery_id'), days, column('number'), column('state')],
  )
}

/** The bodies of the deliveries' events, by `keyInShop` of the event. The deliveries name their shops. */
export async function listBodies(
  db: Sql,
  deliveries: Pick<LeasedDelivery, 'shop_id' | 'event_id' | 'happened_at'>[],
): Promise<Map<string, string>> {
  const rows = await db.rows<{ shop_id: string; id: string; body: string }>(
    `select e.shop_id, e.id, e.body from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as wanted (shop_id, id, happened_at)
     cross join lateral (
       select shop_id, id, body from events
       where shop_id = wanted.shop_id and id = wanted.id and happened_at = wanted.happened_at offset 0) as e`,
    [
      deliveries.map(({ shop_id }) => shop_id),
      deliveries.map(({ event_id }) => event_id),
      deliveries.map(({ happened_at }) => happened_at),
    ],
  )
  return new Map(rows.map(({ shop_id, id, body }) => [keyInShop(shop_id, id), body]))
}
