// Owns the erasing of a person: the contact goes with its tags, links, consents and what imports know of it, and the news of
// it is written in the same transaction. Additive to the contract: POST /shops/{shop}/contacts/{id}/erase.
// states-and-events.md 6.4 ("also when a contact is erased"); security-and-faults.md, row "PII".
//
// What others hold of the person they forget when the news reaches them: orders first, then webhooks the events of those
// orders. The news has to name the person, so it is deleted within a minute after it is handed over. A mailbox that wants no mail stays
// suppressed, as a digest: forgetting it would begin the mails again that somebody asked to stop.
import type { RequestInfo } from '#runtime/service'
import { refuse } from '#contracts/errors'
import { isUuid } from '#contracts/actions/params'
import { recordMessage } from '#outbox/messages'
import { toSingle } from '#paging/page'
import type { Database } from '#postgres/connect'
import { once } from '#postgres/idempotency'
import { deleteContact } from './queries.ts'

/** Gives `{"data":{"id":…,"object":"contact","erased":true}}`. Refuses not_found, also for one that was erased. */
export function eraseContact(db: Database, id: string, { caller, idempotency, now }: RequestInfo): Promise<Buffer> {
  return db.transaction((tx) =>
    once(tx, caller.shopId, idempotency, now, async () => {
      const gone = isUuid(id) ? await deleteContact(tx, caller.shopId, id) : null
      if (gone === null) throw refuse('not_found', 'No contact with that id in this shop.')
      const { id: contact_id, email_key, phone } = gone
      await recordMessage(tx, caller.shopId, 'contact.erased', { contact_id, email_key, phone }, now)
      return toSingle(JSON.stringify({ id: contact_id, object: 'contact', erased: true }))
    }),
  )
}
