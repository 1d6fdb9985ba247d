// GET /shops/{shop}/contacts/{id}/data: everything that is held about one person, as one JSON document
// (docs/spec/back-office.md#the-data-of-one-person). The parts are read page by page from the services that hold them, each page when the
// client has taken the one before, so memory does not grow with the number of orders. Contacts answers first and writes the audit entry;
// what it refuses, and what fails before the first 64 KB are there, is an ordinary refusal. When a later part cannot be read, the
// connection is closed before the end of the document.
import type { ContactsAnswer } from '#contracts/actions/person-data'
import type { CallMeta } from '#contracts/caller'
import { refusalCode } from '#contracts/errors'
import type { MembershipOfPerson, OrderOfPerson } from '#contracts/person-data'
import type { Calls } from '#calls/calls'
import { asBuffer } from '#runtime/middlewares/large-response'
import { auditEntriesOf, eventsOf, isErased, pagesOf } from './pages.ts'

const CHUNK_LENGTH = 64 * 1024

/** Returns the bytes of the document. Refuses not_found where nothing says that such a contact ever was. */
export async function personData(calls: Calls, id: string, meta: CallMeta, now: Date): Promise<AsyncIterable<Buffer>> {
  const { deadline_at: _ofFirst, audit: _ofTaking, ...metaOfParts } = meta // Each part has the time of a call.
  const { person, erasure, body } = await heldByContacts(calls, id, meta, metaOfParts)
  return begun(chunked(documentOf()))

  async function* documentOf(): AsyncGenerator<string> {
    const head = { object: 'person_data', contactId: person.contact_id, takenAt: now.toISOString(), erasure }
    yield `{"data":${opened(head)},${String(asBuffer(body)).slice(1, -1)}`
    yield* list(
      'orders',
      withEvents(orders(), ({ order }) => order.id),
    )
    // An erasure leaves memberships as they are: their `clientId` leads nowhere any more (docs/spec/objects.md#subscription).
    yield* list('subscriptions', erasure === 'none' ? withEvents(memberships(), (row) => row.subscription.id) : [])
    yield* list('auditEntries', separated(auditEntriesOf(calls, person.contact_id, metaOfParts)))
    yield '}}'
  }

  function orders(): AsyncGenerator<OrderOfPerson[]> {
    return pagesOf((after) => calls.read('orders.of_person', { person, after }, metaOfParts))
  }

  function memberships(): AsyncGenerator<MembershipOfPerson[]> {
    const { contact_id } = person
    return pagesOf((after) => calls.read('subscriptions.of_person', { contact_id, after }, metaOfParts))
  }

  /** The JSON of the objects, each with its events. */
  async function* withEvents<Row extends object>(
    pages: AsyncIterable<Row[]>,
    idOf: (row: Row) => string,
  ): AsyncGenerator<string> {
    let before = ''
    for await (const rows of pages) {
      const events = eventsOf(calls, rows.map(idOf), metaOfParts)
      let next = await events.next()
      for (const row of rows) {
        yield `${before}${opened(row)},"events":[`
        before = ','
        for (let comma = ''; next.done !== true && next.value.objectId === idOf(row); comma = ',') {
          yield comma + JSON.stringify(next.value.event)
          next = await events.next()
        }
        yield ']}'
      }
    }
  }
}

// Of a contact that was erased, nothing tells but the audit.
async function heldByContacts(
  calls: Calls,
  id: string,
  meta: CallMeta,
  metaOfParts: CallMeta,
): Promise<ContactsAnswer> {
  try {
    return (await calls.command('contacts.data', { id }, meta)) as ContactsAnswer
  } catch (error) {
    if (refusalCode(error) !== 'not_found' || !(await isErased(calls, id, metaOfParts))) throw error
    const nothing = { contact: null, consents: [], optInMails: [], suppressedMailbox: null, imports: [] }
    return {
      person: { contact_id: id.toLowerCase(), email_key: null, phone: null },
      erasure: 'done',
      body: Buffer.from(JSON.stringify(nothing)),
    }
  }
}

async function* list(name: string, texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  yield `,"${name}":[`
  yield* texts
  yield ']'
}

async function* separated(objects: AsyncIterable<object>): AsyncGenerator<string> {
  let before = ''
  for await (const object of objects) {
    yield before + JSON.stringify(object)
    before = ','
  }
}

async function* chunked(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let waiting = ''
  for await (const text of texts) {
    waiting += text
    if (waiting.length < CHUNK_LENGTH) continue
    yield Buffer.from(waiting)
    waiting = ''
  }
  yield Buffer.from(waiting)
}

/** The same parts once the first one is there. */
async function begun(parts: AsyncGenerator<Buffer>): Promise<AsyncGenerator<Buffer>> {
  const first = await parts.next()
  return (async function* () {
    if (first.done === true) return
    yield first.value
    yield* parts
  })()
}

/** The JSON of an object without its closing brace. */
function opened(object: object): string {
  return JSON.stringify(object).slice(0, -1)
}
