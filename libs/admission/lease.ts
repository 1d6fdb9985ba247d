// Owns the leases of a gateway: what it knows of keys, and the units that it may spend without asking auth.
// Spec: Limits, rule 1; Authentication, rules 1 to 6. design/speed.md 2.2; the other side is auth's budget.ts.
//
// Protocol. Calls that cannot be decided from what is held wait for one question of their key, which asks for all of them.
// An identity is believed for `identityMs` from before it was asked for: revocation, access and plan are in force then
// even when every hint is lost. Auth may call the unused units of a window back; a grant that is on its way is waited for,
// and what arrives later still goes back by `auth.give_back`. While auth cannot be asked, calls are refused as unavailable:
// neither free calls nor guesses. Who was used of late is asked about again in good time (believe.ts), so that a busy key asks
// for units only. What a gateway holds when it is killed is lost: fewer calls, never more.
import { hash, randomUUID } from 'node:crypto'
import type { Call } from '#runtime/service'
import type { Metrics } from '#telemetry/metrics'
import { type Admission, type LeaseAction, leaseActionOf, type Recall, type Returned } from '#contracts/admission'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { askAuthAs } from './auth-client.ts'
import { believing, CONFIRM_MS } from './background-refresh.ts'
import {
  absorb,
  decide,
  doubt,
  emptyKey,
  type HeldKey,
  refused,
  spend,
  surrender,
  unitsAt,
  type Verdict,
} from './cached-key.ts'

const KEYS_MAX = 50_000 // The least recently used goes first; about 1 KB each.
const SOURCES_MAX = 10_000 // Pairs of a source without guesses left and the key that it guesses with.
const ROUNDS_MAX = 8 // Units may be called back or end while they come; then it is asked again, but not for ever.
const ON_ITS_WAY_MS = 200 // How long a recall waits here for a grant; auth waits 300 ms for the answer.
const GIVE_BACK_AT_ONCE = 50 // Calls in flight when a gateway stops.

type Failure = Extract<Admission, { decision: 'unauthorized' | 'source_limited' }>
export type Taken = Verdict | Failure
export type Leases = {
  /** Decides about one call; `key` is '' where it carried none. Refuses unavailable while auth cannot be asked. */
  take(key: string, source: string): Promise<Taken>
  /** The action under which auth reaches this holder alone. */
  recallAction: LeaseAction
  /** Gives the unused units of a window back to auth. */
  recall(recall: Recall): Promise<Returned>
  /** Has the identity of a key, or of all keys of a shop, checked again before the next call. */
  identityChanged(changed: { key_id?: string; shop_id?: string }): void
  /** Begins to ask about the keys in use in the background. */
  start(): void
  /** Gives all unused units back. */
  stop(): Promise<void>
}
type LeaseOptions = { call: Call; nodeId: string; metrics: Metrics; clock?: () => number }

// The key itself is kept no longer than its question takes.
type Waiter = { key: string; source: string; resolve(taken: Taken): void; reject(error: unknown): void }
type Entry = {
  digest: string
  held: HeldKey
  waiters: Waiter[]
  asking: boolean
  grantId: string | null // Of the question that is not answered yet; the next one repeats it.
  round: Promise<void> // Ends when the answer that is awaited has been dealt with.
  recalls: number // Recalls that wait for the round.
  takenAt: number // When it was last used.
  hints: number // An answer that was on its way when a hint came is not believed for long.
}

/** The leases of one holder. `nodeId` is unique among all holders, also where two share a process. */
export function openLeases({ call, nodeId, metrics, clock = () => performance.now() }: LeaseOptions): Leases {
  const askAuth = askAuthAs(nodeId, call, clock)
  const believeOn = believing(call, clock)
  const entries = new Map<string, Entry>() // By digest of the key, least recently used first.
  const recognised = new Map<string, Entry>() // By key id.
  const asked = new Map<string, Entry>() // By grant id, while the question is under way.
  let timer: NodeJS.Timeout | undefined
  const exhausted = new Map<string, number>() // Source and digest -> until when no question is worth asking.

  return {
    async take(key, source) {
      const digest = hash('sha256', key, 'base64')
      const exhaustedMs = exhausted.size === 0 ? 0 : (exhausted.get(`${source} ${digest}`) ?? 0) - clock()
      if (exhaustedMs > 0) return counted({ decision: 'source_limited', retry_after_ms: exhaustedMs }, 'lease')
      const entry = entryOf(digest)
      entry.takenAt = clock()
      const verdict = decide(entry.held, clock())
      if (verdict !== null) return counted(verdict, 'lease')
      const taken = new Promise<Taken>((resolve, reject) => entry.waiters.push({ key, source, resolve, reject }))
      if (!entry.asking) void askUntilServed(entry)
      return counted(await taken, 'ask')
    },
    recallAction: leaseActionOf(nodeId),
    recall: handBack,
    identityChanged: doubtAll,
    start() {
      timer = setInterval(() => void believeOn(() => recognised.values()), CONFIRM_MS)
      timer.unref()
    },
    async stop() {
      clearInterval(timer)
      const holders = [...entries.values()].filter((entry) => unitsAt(entry.held, clock()) > 0)
      while (holders.length > 0) await Promise.all(holders.splice(0, GIVE_BACK_AT_ONCE).map(giveBack))
    },
  }

  function entryOf(digest: string): Entry {
    const entry = entries.get(digest) ?? newEntry(digest)
    entries.delete(digest)
    entries.set(digest, entry)
    if (entries.size > KEYS_MAX) evictOldest()
    return entry
  }

  function evictOldest(): void {
    for (const entry of entries.values()) {
      if (entry.asking) continue
      remove(entry)
      void giveBack(entry)
      return
    }
  }

  function remove(entry: Entry): void {
    entries.delete(entry.digest)
    recognised.delete(entry.held.facts?.caller.keyId ?? '')
  }

  // Never throws: every waiter gets an answer or the error.
  async function askUntilServed(entry: Entry): Promise<void> {
    entry.asking = true
    while (entry.waiters.length > 0) {
      const batch = entry.waiters.splice(0)
      try {
        await serve(entry, batch)
      } catch (error) {
        for (const waiter of batch) waiter.reject(error)
      }
    }
    entry.asking = false
    // Guesses must not push known keys out; a question without an answer may still have been granted units.
    if (entry.held.facts === null && entry.grantId === null) remove(entry)
  }

  async function serve(entry: Entry, batch: Waiter[]): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX && batch.length > 0; round += 1) {
      const { promise, resolve } = Promise.withResolvers<void>()
      entry.round = promise
      await askOnce(entry, batch).finally(resolve)
    }
    if (batch.length > 0) throw refuse('unavailable', 'The budget of this key cannot be settled right now.')
  }

  // One question for the whole batch; whoever got a decision leaves it.
  async function askOnce(entry: Entry, batch: Waiter[]): Promise<void> {
    const { held, hints } = entry
    const inHand = unitsAt(held, clock())
    const want = Math.max(0, batch.length - inHand)
    const { admission, sentAt } = await question(entry, batch[0], want, inHand > 0)
    if (!('caller' in admission)) {
      recognised.delete(held.facts?.caller.keyId ?? '')
      Object.assign(held, emptyKey())
      batch.shift()?.resolve(admission)
      await Promise.all(batch.splice(0).map((waiter) => askAlone(entry, waiter)))
      return
    }
    absorb(held, admission, sentAt)
    recognised.set(admission.caller.keyId ?? '', entry)
    serveWhile(batch, () => spend(held, clock()))
    if (admission.decision === 'rate_limited') serveWhile(batch, () => refused(held, clock()))
    if (entry.hints !== hints) doubt(held)
    serveWhile(entry.waiters, () => decide(held, clock()))
    const isRecalled = admission.recalled || held.recalledWindowId === admission.window_id
    if (isRecalled && entry.recalls === 0) await giveBack(entry) // Else the recall that waits takes them.
  }

  async function question(entry: Entry, asker: Waiter | undefined, want: number, exact: boolean) {
    if (asker === undefined) throw new Error('Nobody waits for an answer.')
    const { key, source } = asker
    const grantId = entry.grantId ?? randomUUID()
    entry.grantId = grantId
    asked.set(grantId, entry)
    try {
      const answer = await askAuth({ key, source, grantId, want, exact })
      entry.grantId = null
      noteExhaustion(answer.admission, source, entry.digest)
      return answer
    } finally {
      asked.delete(grantId)
    }
  }

  // A key that is not known is charged to each source that sent it, call by call.
  async function askAlone(entry: Entry, waiter: Waiter): Promise<void> {
    const { key, source } = waiter
    try {
      const { admission } = await askAuth({ key, source, grantId: randomUUID(), want: 0, exact: true })
      noteExhaustion(admission, source, entry.digest)
      if ('caller' in admission)
        entry.waiters.push(waiter) // It has come into force just now.
      else waiter.resolve(admission)
    } catch (error) {
      waiter.reject(error)
    }
  }

  function noteExhaustion(admission: Admission, source: string, digest: string): void {
    if (admission.decision !== 'source_limited') return
    const oldest = exhausted.size >= SOURCES_MAX ? exhausted.keys().next().value : undefined
    if (oldest !== undefined) exhausted.delete(oldest)
    exhausted.set(`${source} ${digest}`, clock() + Math.min(admission.retry_after_ms, limits.identityMs))
  }

  async function handBack({ key_id, window_id, grant_ids }: Recall): Promise<Returned> {
    const underWay = grant_ids.find((id) => asked.has(id))
    const entry = recognised.get(key_id) ?? asked.get(underWay ?? '')
    if (entry === undefined) return { units: 0 }
    entry.held.recalledWindowId = window_id
    if (underWay !== undefined) {
      entry.recalls += 1
      await before(entry.round, ON_ITS_WAY_MS)
      entry.recalls -= 1
    }
    return { units: surrender(entry.held, window_id) }
  }

  async function giveBack({ held }: Entry): Promise<void> {
    const { window_id, caller } = held.facts ?? {}
    if (typeof window_id !== 'string' || typeof caller?.keyId !== 'string' || unitsAt(held, clock()) === 0) return
    const units = surrender(held, window_id)
    const lost = () => undefined // Then they are lost until the window ends: fewer calls, never more.
    await call('auth.give_back', { key_id: caller.keyId, window_id, units }).catch(lost)
  }

  function doubtAll({ key_id, shop_id }: { key_id?: string; shop_id?: string }): void {
    for (const entry of entries.values()) {
      const caller = entry.held.facts?.caller
      if (caller !== undefined && caller.keyId !== key_id && caller.shopId !== shop_id) continue
      entry.hints += 1
      doubt(entry.held)
    }
  }

  function counted(taken: Taken, via: 'lease' | 'ask'): Taken {
    const forbidden = taken.decision === 'admitted' && !taken.planIncludesApi
    metrics.budget.inc({ decision: forbidden ? 'forbidden' : taken.decision, via })
    return taken
  }
}

function newEntry(digest: string): Entry {
  return {
    ...{ digest, held: emptyKey(), waiters: [], asking: false, grantId: null },
    ...{ round: Promise.resolve(), recalls: 0, takenAt: 0, hints: 0 },
  }
}

function serveWhile(waiters: Waiter[], next: () => Verdict | null): void {
  for (let waiter = waiters[0]; waiter !== undefined; waiter = waiters[0]) {
    const verdict = next()
    if (verdict === null) return
    waiters.shift()
    waiter.resolve(verdict)
  }
}

/** Ends with the work or after the time, whichever is first. */
async function before(work: Promise<void>, timeoutMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, timeoutMs)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
