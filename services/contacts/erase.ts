// Erases a person. docs/spec/back-office.md#erasing-a-person
// The contact is deleted with its tags, links, consents and references of imports. The message contact.erased, written in the
// same transaction, makes orders remove the person from its rows, and webhooks then delete the events of those orders. The
// message has to name the person, so it is deleted within a minute after it was handed over.
import { command } from '#audit/command'
import type { RequestInfo } from '#runtime/service'
import type { ActionParams } from '#contracts/actions'
import { isUuid } from '#contracts/actions/params'
import { recordMessage } from '#outbox/messages'
import { toSingle } from '#paging/page'
import type { Database } from '#postgres/connect'
import { noContact } from './list.ts'
import { deleteContact } from './queries.ts'
import { toErasedContact } from './shape.ts'

/** Answers the action contacts.erase; `onErased` follows the commit. Refuses not_found, also for an erased contact. */
export async function eraseContact(
  db: Database,
  { id }: ActionParams<'contacts.erase'>,
  request: RequestInfo,
  onErased: () => void,
): Promise<Buffer> {
  const { caller, now } = request
  const { shopId } = caller
  const answer = await db.transaction((tx) =>
    command(tx, request, async () => {
      const deleted = isUuid(id) ? await deleteContact(tx, shopId, id) : null
      if (deleted === null) throw noContact()
      const { id: contact_id, email_key, phone, document } = deleted
      const body = { contact_id, email_key, phone }
      await recordMessage(tx, { shopId, objectId: contact_id, kind: 'contact.erased', body }, now)
      return { before: document, after: null, answer: toSingle(JSON.stringify(toErasedContact(contact_id))) }
    }),
  )
  onErased()
  return answer
}
