// Commands of the back office: each is done once for its Idempotency-Key, and leaves an audit entry in the transaction of its
// change, so that there is no change without its entry and no entry without its change. docs/spec/audit.md
//
// The entry is a message of the service's outbox, which the relay hands to auth until auth has stored it; auth writes into its table at
// once (`openCommands`). A repeated command gets its first answer and leaves no further entry. What a key of a shop, a timer or
// another service causes has no operator and leaves none.
import type { AuditFacts } from '#contracts/actions/audit'
import { recordMessage } from '#outbox/messages'
import { toSingle } from '#paging/page'
import type { Sql } from '#postgres/connect'
import { type Answer, answerOnce } from '#postgres/idempotency'
import type { RequestInfo } from '#runtime/service'
import { changesOf, parsed, type Shown } from './changes.ts'
import { auditHead } from './entry.ts'

/** Rows that belong to no shop have this one: cursors, Idempotency-Keys and messages. */
export const NO_SHOP = '00000000-0000-0000-0000-000000000000'

/** The object before and after a change; null where it did not exist or does no longer. Neither holds a secret. */
export type Change = { before: Shown | null; after: Shown | null }
/** `answer`: where it is not the object as it is afterwards. `created`: where the status of the answer depends on it. */
export type Done = ((Change & { answer: Buffer }) | { before: Shown | null; after: Shown }) & { created?: boolean }

/** `objectId` where no object is shown. */
type About = { objectId?: string; shopId?: string | null }
/** `keysOf`: the shop or object that the Idempotency-Key belongs to; the shop of the caller where absent. */
type Scope = About & { keysOf?: string }

export type Commands = {
  /** Does the work once and returns the answer, `{"data":…}`. Refuses conflict for an Idempotency-Key of another request. */
  command(tx: Sql, request: RequestInfo, work: () => Promise<Done>, scope?: Scope): Promise<Buffer>
  /** As `command`, with whether the object was created. */
  commandAnswer(tx: Sql, request: RequestInfo, work: () => Promise<Done>, scope?: Scope): Promise<Answer>
  /** Writes the entry of a change whose answer is made outside of its transaction. */
  recordDone(tx: Sql, request: RequestInfo, change: Change, about?: About): Promise<void>
}

/** `record` writes an entry in the transaction of its change. */
export function openCommands(record: (tx: Sql, entry: AuditFacts) => Promise<void>): Commands {
  const recordDone: Commands['recordDone'] = async (tx, request, change, about = {}) => {
    const { operator, now, meta } = request
    if (operator === null || meta.audit === undefined) return
    const [before, after] = [parsed(change.before), parsed(change.after)]
    const id = about.objectId ?? (after ?? before)?.id
    await record(tx, {
      ...auditHead(meta.audit, operator, now),
      request_id: request.requestId,
      shop_id: about.shopId === undefined ? request.caller.shopId : about.shopId,
      object_id: typeof id === 'string' ? id : null,
      outcome: 'done',
      code: null,
      changes: JSON.stringify(changesOf(before, after)),
    })
  }
  const commandAnswer: Commands['commandAnswer'] = (
    tx,
    request,
    work,
    { keysOf = request.caller.shopId, ...about } = {},
  ) =>
    answerOnce(tx, keysOf, request.idempotency, request.now, async () => {
      const done = await work()
      await recordDone(tx, request, done, about)
      const body = 'answer' in done ? done.answer : toSingle(textOf(done.after))
      return { body, created: done.created ?? null }
    })
  return {
    recordDone,
    commandAnswer,
    command: async (...call) => (await commandAnswer(...call)).body,
  }
}

/** Commands of a service with an outbox. */
export const { command, commandAnswer, recordDone } = openCommands((tx, entry) =>
  recordMessage(
    tx,
    { shopId: entry.shop_id ?? NO_SHOP, objectId: null, kind: 'audit.entry', body: entry },
    new Date(entry.at),
  ),
)

function textOf(shown: Shown): string {
  return typeof shown === 'string' ? shown : JSON.stringify(shown)
}
