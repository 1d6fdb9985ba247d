// The moments of a background import at which something is killed, as the database shows them, and waiting for one.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../../cluster.ts'
import { keysText } from './imported.ts'

/** `share` of the keys of the file are stored when the moment has come. */
export type Moment = { phase: (typeof phases)[number]; share: number }
/** What was seen at the moment; `keys` of the file are stored. */
export type Seen = { phase: (typeof phases)[number] | 'ended' | 'not begun'; keys: number }

const phases = ['arriving', 'queued', 'checking', 'writing'] as const
const POLL_MS = 2

/** Writing takes longest and has most to lose. */
export function momentOf(round: number): Moment {
  const phase = [...phases, 'writing' as const][round % 5] ?? 'writing'
  return { phase, share: phase === 'writing' ? Math.random() * 0.9 : 0 }
}

/** Waits until the import of the shop has come to the moment or beyond it; returns what it was doing then. */
export async function waitForMoment(
  cluster: Cluster,
  shop: string,
  { phase, share }: Moment,
  keys: number,
): Promise<Seen> {
  const session = await cluster.session()
  try {
    for (;;) {
      const { rows } = await session.query<{ phase: Seen['phase']; keys: number }>(seenText, [shop])
      const seen = rows[0] ?? { phase: 'not begun', keys: 0 }
      const isBeyond = orderOf(seen.phase) > orderOf(phase)
      if (isBeyond || (seen.phase === phase && (phase !== 'writing' || (seen.keys > 0 && seen.keys >= share * keys)))) {
        return seen
      }
      await sleep(POLL_MS)
    }
  } finally {
    await session.end()
  }
}

function orderOf(phase: Seen['phase']): number {
  return ['not begun', ...phases, 'ended'].indexOf(phase)
}

// The phase of the record is reported once a second; the first key says sooner that writing has begun.
const seenText = `
  with stored as (select count(*)::int as keys from (${keysText}) as known),
    record as (select status, phase from auth.imports where shop_id = $1),
    file as (select from auth.import_files where shop_id = $1)
  select stored.keys, case
      when (select status from record) in ('completed', 'failed', 'cancelled') then 'ended'
      when stored.keys > 0 then 'writing'
      when (select status from record) is not null then (select phase from record)
      when exists (select from file) then 'arriving'
      else 'not begun' end as phase
  from stored`
