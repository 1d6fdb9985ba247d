// The leases of a gateway: cached identities of API keys, and units of their budgets that it may spend without asking auth.
// Auth's half is services/auth/budget/budget.ts; the rules are docs/spec/internals.md#budget-leases.
//
// Protocol. Where the cache cannot decide, all waiting calls of a key share one request to auth.
// - An identity is valid for `identityTrustedMs`, counted from when the request to auth is sent, so revocation, access and plan are in force by then even
//   when every event is lost. Keys in use are refreshed in the background (background-refresh.ts), so that calls ask for units only.
// - Auth may recall the unused units of a window. The gateway waits a moment for a grant that is on its way; units that arrive
//   later go back by `auth.give_back`.
// - While several gateways hold units, responses show what auth says is left without any of them; auth tells each holder before it
//   answers a grant of another one (docs/spec/internals.md#remaining-budget).
// - The gateway refuses a malformed key itself. Unknown keys from a source that has used up its failure budget share one
//   request to auth (guess-limit.ts).
// - Units for a token of an agent are exact, and its identity is asked for with each call: several tokens of a grant share one budget,
//   and auth could not tell from which of them to recall units (docs/spec/agents-access.md#grants).
// - While auth cannot be asked, calls are refused as unavailable: none is admitted without being counted.
// - The units of a gateway that is killed are lost until the window ends: fewer calls, never more.
import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Call } from '#runtime/service'
import type { Metrics } from '#telemetry/metrics'
import {
  type LeaseAction,
  type LeaseMessage,
  leaseActionOf,
  type Recall,
  type Returned,
  type Shown,
  type Identity,
} from '#contracts/actions/auth'
import { isAgentTokenForm } from '#contracts/agents/token-form'
import { refuse } from '#contracts/errors'
import { authClient } from './auth-client.ts'
import { backgroundRefresh, REFRESH_MS } from './background-refresh.ts'
import {
  applyAnswer,
  type CachedKey,
  decide,
  emptyKey,
  expireIdentity,
  noteShown,
  refused,
  spend,
  surrenderUnits,
  unitsAt,
  type Verdict,
} from './cached-key.ts'
import { type Failure, openGuessLimit } from './guess-limit.ts'

const KEYS_MAX = 50_000 // About 1 KB each.
const ROUNDS_MAX = 8 // Units may be recalled or expire before they arrive; then auth is asked again.
const GRANT_WAIT_MS = 200 // How long a recall waits here for a grant; auth waits 300 ms for the answer.
const GIVE_BACK_AT_ONCE = 50 // Calls in flight when a gateway stops.

export type Decision = Verdict | Failure
export type Leases = {
  /** Decides one call; `key` is '' where it has none. Refuses unavailable while auth cannot be asked. */
  take(key: string, source: string): Promise<Decision>
  /** What is known of a key that was admitted before, asked for where it is not valid any more; null where the key is revoked. */
  confirm(keyId: string): Promise<Identity | null>
  /** The action under which auth reaches this holder alone. */
  action: LeaseAction
  /** Returns the unused units of a window to auth, or stores what responses may show. */
  handleLeaseMessage(message: LeaseMessage): Promise<Returned>
  /** Has the identity of a key, or of all keys of a shop, checked again before the next call. */
  identityChanged(changed: { key_id?: string; shop_id?: string }): void
  /** Starts the background refresh of the keys in use. */
  start(): void
  /** Returns all unused units to auth. */
  stop(): Promise<void>
}
type LeaseOptions = { call: Call; nodeId: string; metrics: Metrics; failuresMax: number; clock?: () => number }

// The key itself is kept only while its question is in flight.
type Waiter = { key: string; source: string; resolve(decided: Decision): void; reject(error: unknown): void }
type Entry = {
  digest: string
  cached: CachedKey
  waiters: Waiter[]
  asking: boolean
  grantId: string | null // Of the question that has no answer yet; the next question repeats it.
  round: Promise<void> // Ends when the awaited answer is applied.
  recalls: number // Recalls that wait for `round`.
  usedAt: number // The last call.
  changes: number // Events about this identity: an answer from before an event is out of date.
}

/** The leases of one holder. `nodeId` is unique among all holders, also where two share a process. */
export function openLeases(options: LeaseOptions): Leases {
  const { call, nodeId, metrics, failuresMax, clock = () => performance.now() } = options
  const auth = authClient(nodeId, call, clock)
  const guesses = openGuessLimit({ call, failuresMax, clock })
  const refresh = backgroundRefresh(call, clock)
  // By digest of the key.
  const entries = new LRUCache<string, Entry>({
    max: KEYS_MAX,
    dispose: (entry, _digest, reason) => void (reason === 'evict' && evicted(entry)),
  })
  const recognised = new Map<string, Entry>() // By key id.
  const inFlight = new Map<string, Entry>() // By the grant id of a question.
  let timer: NodeJS.Timeout | undefined

  return {
    async take(key, source) {
      const digest = hash('sha256', key, 'base64')
      const isKnown = (entries.peek(digest)?.cached.facts ?? null) !== null
      const failure = isKnown ? null : await guesses.refusalOf(key, digest, source)
      if (failure !== null) return counted(failure, 'lease')
      const entry = entryOf(digest)
      entry.usedAt = clock()
      const verdict = decide(entry.cached, clock())
      if (verdict !== null) return counted(verdict, 'lease')
      const decided = new Promise<Decision>((resolve, reject) => entry.waiters.push({ key, source, resolve, reject }))
      if (!entry.asking) void askUntilServed(entry)
      return counted(await decided, 'ask')
    },
    action: leaseActionOf(nodeId),
    async confirm(keyId) {
      const known = recognised.get(keyId)?.cached
      if (known !== undefined && known.facts !== null && clock() < known.identityValidUntil) return known.facts
      return auth.recognise(keyId)
    },
    handleLeaseMessage: async (message) => ('shown' in message ? storeShown(message) : recall(message)),
    identityChanged: expireIdentities,
    start() {
      timer = setInterval(() => void refresh(() => recognised.values()), REFRESH_MS)
      timer.unref()
    },
    async stop() {
      clearInterval(timer)
      const holders = [...entries.values()].filter((entry) => unitsAt(entry.cached, clock()) > 0)
      while (holders.length > 0) await Promise.all(holders.splice(0, GIVE_BACK_AT_ONCE).map(giveBack))
    },
  }

  function entryOf(digest: string): Entry {
    const known = entries.get(digest)
    if (known !== undefined) return known
    const entry = newEntry(digest)
    entries.set(digest, entry)
    return entry
  }

  // An entry that is asking serves its waiters first.
  function evicted(entry: Entry): void {
    if (entry.asking) return
    const keyId = entry.cached.facts?.caller.keyId ?? ''
    if (recognised.get(keyId) === entry) recognised.delete(keyId)
    void giveBack(entry)
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
    // Unknown keys must not evict known ones; a question without an answer may still have been granted units.
    if (entries.peek(entry.digest) !== entry) evicted(entry)
    else if (entry.cached.facts === null && entry.grantId === null) entries.delete(entry.digest)
  }

  async function serve(entry: Entry, batch: Waiter[]): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX && batch.length > 0; round += 1) {
      const { promise, resolve } = Promise.withResolvers<void>()
      entry.round = promise
      await askOnce(entry, batch).finally(resolve)
    }
    if (batch.length > 0) throw refuse('unavailable', 'The budget of this key cannot be settled right now.')
  }

  // One question for the whole batch; a waiter that got its decision leaves the batch.
  async function askOnce(entry: Entry, batch: Waiter[]): Promise<void> {
    const { cached, changes } = entry
    const inHand = unitsAt(cached, clock())
    const want = Math.max(0, batch.length - inHand)
    const { admission, sentAt } = await question(entry, batch[0], want, inHand > 0)
    if (!('caller' in admission)) {
      recognised.delete(cached.facts?.caller.keyId ?? '')
      Object.assign(cached, emptyKey())
      batch.shift()?.resolve(admission)
      await Promise.all(batch.splice(0).map((waiter) => askAlone(entry, waiter)))
      return
    }
    applyAnswer(cached, admission, sentAt)
    recognised.set(admission.caller.keyId ?? '', entry)
    serveWhile(batch, () => spend(cached, clock()))
    if (admission.decision === 'rate_limited') serveWhile(batch, () => refused(cached, clock()))
    if (entry.changes !== changes) expireIdentity(cached)
    serveWhile(entry.waiters, () => decide(cached, clock()))
    const isRecalled = admission.recalled || cached.recalledWindowId === admission.window_id
    if (isRecalled && entry.recalls === 0) await giveBack(entry) // Else the waiting recall takes the units.
  }

  async function question(entry: Entry, asker: Waiter | undefined, want: number, exact: boolean) {
    if (asker === undefined) throw new Error('No call waits for an answer.')
    const { key, source } = asker
    const grantId = entry.grantId ?? randomUUID()
    entry.grantId = grantId
    inFlight.set(grantId, entry)
    try {
      const answer = await auth.admit({ key, source, grantId, want, exact: exact || isAgentTokenForm(key) })
      entry.grantId = null
      guesses.note(answer.admission, source)
      return answer
    } finally {
      inFlight.delete(grantId)
    }
  }

  // An unknown key is charged to each source that sent it, call by call.
  async function askAlone(entry: Entry, waiter: Waiter): Promise<void> {
    const { key, source } = waiter
    try {
      const { admission } = await auth.admit({ key, source, grantId: randomUUID(), want: 0, exact: true })
      guesses.note(admission, source)
      if ('caller' in admission)
        entry.waiters.push(waiter) // The key was created just now.
      else waiter.resolve(admission)
    } catch (error) {
      waiter.reject(error)
    }
  }

  function storeShown({ key_id, window_id, grant_ids, shown }: Shown): Returned {
    const awaited = grant_ids.find((id) => inFlight.has(id))
    const entry = recognised.get(key_id)
    if (entry?.cached.facts?.window_id === window_id) noteShown(entry.cached, window_id, shown)
    const asking = inFlight.get(awaited ?? '')
    if (asking !== undefined) noteShown(asking.cached, window_id, shown) // Its answer may be older than this message.
    return { units: 0 }
  }

  async function recall({ key_id, window_id, grant_ids }: Recall): Promise<Returned> {
    const awaited = grant_ids.find((id) => inFlight.has(id))
    const entry = recognised.get(key_id) ?? inFlight.get(awaited ?? '')
    if (entry === undefined) return { units: 0 }
    entry.cached.recalledWindowId = window_id
    if (awaited !== undefined) {
      entry.recalls += 1
      await Promise.race([entry.round, sleep(GRANT_WAIT_MS, undefined, { ref: false })])
      entry.recalls -= 1
    }
    return { units: surrenderUnits(entry.cached, window_id) }
  }

  async function giveBack({ cached }: Entry): Promise<void> {
    const { window_id, caller } = cached.facts ?? {}
    if (typeof window_id !== 'string' || typeof caller?.keyId !== 'string' || unitsAt(cached, clock()) === 0) return
    const units = surrenderUnits(cached, window_id)
    // Units that auth does not take back are lost until the window ends.
    await call('auth.give_back', { key_id: caller.keyId, window_id, units }).catch(() => undefined)
  }

  function expireIdentities({ key_id, shop_id }: { key_id?: string; shop_id?: string }): void {
    for (const entry of entries.values()) {
      const caller = entry.cached.facts?.caller
      if (caller !== undefined && caller.keyId !== key_id && caller.shopId !== shop_id) continue
      entry.changes += 1
      expireIdentity(entry.cached)
    }
  }

  function counted(decided: Decision, via: 'lease' | 'ask'): Decision {
    const forbidden = decided.decision === 'admitted' && !decided.planIncludesApi
    metrics.budget.inc({ decision: forbidden ? 'forbidden' : decided.decision, via })
    return decided
  }
}

function newEntry(digest: string): Entry {
  return {
    digest,
    cached: emptyKey(),
    waiters: [],
    asking: false,
    grantId: null,
    round: Promise.resolve(),
    recalls: 0,
    usedAt: 0,
    changes: 0,
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
