// Saves the person of a public request without an Idempotency-Key: a read without a lock, then one statement that commits by itself, or
// none where the contact stays as it is. Where others were quicker the statement writes nothing, and the person is saved in a transaction.
// docs/spec/rest-api.md#save-a-contact, docs/spec/internals.md#saves-without-a-transaction
//
// Why the statement may write what follows from an earlier read. Its snapshot is older than the locks that it waits for, so nothing in it
// relies on the snapshot:
// - A contact is updated where `updated_at` and `document` are those that were read. PostgreSQL compares the newest version of the row: where
//   another transaction changed the row after the snapshot, the statement waits for its end and compares again. A change moves
//   `updated_at`, and whatever else is rendered anew changes `document`. What the document does not hold (the private note) is
//   not written. An erased contact is not there any more.
// - Tags are inserted for the row that was written, and for no other: they are those that its version before did not have.
// - A new contact is inserted where the unique indexes have no such email or phone. They know rows that are not committed yet: the
//   statement waits for these. An email or phone that fills a gap and was taken meanwhile breaks an index, and nothing is written.
// - Where two contacts match, the one decides what the other may get; both are locked, in a transaction.
//
// Why its stamp keeps the promise of polls (libs/postgres/watermark.ts). `begin_change` is volatile, so each of its statements takes a
// snapshot of its own: the locks of the change are held before the clock is read, and the newest stamp of the shop is that of the moment
// after the locks. PostgreSQL drops the locks after the statement has been committed.
import type { ContactSource } from '#contracts/objects/contact'
import { codeOf, type Database } from '#postgres/connect'
import type { PersonFields } from './contact-fields.ts'
import { insertStamped, type Stamped, updateStamped } from './direct-queries.ts'
import { readPeople } from './queries.ts'
import { changeOnPerson, isChanged, matchesIn, planUpsert, type Upserted, upsertContact, without } from './save.ts'

// Stands for the stamp until the statement knows it; later than any stamp.
const UNSTAMPED = new Date('9999-12-31T23:59:59.999Z')
const OVERTAKEN = new Set(['23505', '40P01']) // unique_violation, deadlock_detected.

/** As `upsertContact`, in as few statements as it takes. */
export async function savePerson(
  db: Database,
  shopId: string,
  sent: PersonFields,
  source: ContactSource,
): Promise<Upserted> {
  const saved = await saveDirectly(db, shopId, sent, source)
  return saved ?? changeOnPerson(db, shopId, (tx, now) => upsertContact(tx, shopId, sent, source, now))
}

/** Null, with nothing written, where it takes a transaction. */
async function saveDirectly(
  db: Database,
  shopId: string,
  sent: PersonFields,
  source: ContactSource,
): Promise<Upserted | null> {
  const rows = await readPeople(db.reads, shopId, sent.email_key, sent.phone)
  if (rows.length > 1) return null
  const { before, after, overflow } = planUpsert(shopId, matchesIn(rows, sent), sent, source, UNSTAMPED)
  if (before !== null && !isChanged(before, after)) return { contact: after, overflow }
  const pieces = after.document.split(UNSTAMPED.toISOString())
  // A new contact has the stamp twice. More pieces: the person has this text as a name or a tag.
  if (pieces.length !== (before === null ? 3 : 2)) return null
  const stamped = await unlessOvertaken(
    before === null
      ? insertStamped(db, shopId, after, pieces)
      : updateStamped(db, shopId, before, after, without(after.tags, before.tags), pieces),
  )
  return stamped && { contact: { ...after, ...stamped }, overflow }
}

async function unlessOvertaken(statement: Promise<Stamped | null>): Promise<Stamped | null> {
  try {
    return await statement
  } catch (error) {
    if (OVERTAKEN.has(codeOf(error) ?? '')) return null
    throw error
  }
}
