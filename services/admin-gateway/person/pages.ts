// The pages that the document about one person is made of: objects of the person, their events, and audit entries, each read when the one
// before has been used.
import type { Behind, EventOfObject, EventsPage, PersonPage } from '#contracts/actions/person-data'
import { isUuid } from '#contracts/actions/params'
import type { CallMeta } from '#contracts/caller'
import type { AuditEntry } from '#contracts/objects/audit-entry'
import { limits } from '#contracts/limits'
import type { Calls } from '#calls/calls'
import { asBuffer } from '#runtime/middlewares/large-response'

/** Pages of objects until an empty one. */
export async function* pagesOf<Row>(read: (after: Behind) => Promise<unknown>): AsyncGenerator<Row[]> {
  let after: Behind = null
  do {
    const page = (await read(after)) as PersonPage
    const rows = jsonOf<Row[]>(page.body)
    if (rows.length > 0) yield rows
    after = page.next
  } while (after !== null)
}

/** The events of the objects, in the order of the objects, those of each oldest first. */
export async function* eventsOf(calls: Calls, objectIds: string[], meta: CallMeta): AsyncGenerator<EventOfObject> {
  let object_ids = objectIds
  let after: { happened_at: string; id: string } | null = null
  for (;;) {
    const page = (await calls.read('events.of_objects', { object_ids, after }, meta)) as EventsPage
    yield* jsonOf<EventOfObject[]>(page.body)
    if (page.next === null) return
    const { object_id, ...position } = page.next
    object_ids = object_ids.slice(object_ids.indexOf(object_id))
    after = position
  }
}

type AuditPage = { data: AuditEntry[]; next_cursor: string | null }

/** The audit entries about a contact, newest first. */
export async function* auditEntriesOf(calls: Calls, id: string, meta: CallMeta): AsyncGenerator<AuditEntry> {
  let cursor: string | undefined
  do {
    const params = { object_id: id, limit: limits.pageMax, ...(cursor === undefined ? {} : { cursor }) }
    const page = jsonOf<AuditPage>(await calls.read('audit.list', params, meta))
    yield* page.data
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

/** Whether the audit says that the contact was erased. */
export async function isErased(calls: Calls, id: string, meta: CallMeta): Promise<boolean> {
  if (!isUuid(id)) return false
  const page = jsonOf<AuditPage>(
    await calls.read('audit.list', { object_id: id, action: 'contacts.erase', limit: limits.pageMax }, meta),
  )
  return page.data.some(({ outcome }) => outcome === 'done')
}

function jsonOf<Value>(body: unknown): Value {
  return JSON.parse(String(asBuffer(body))) as Value
}
