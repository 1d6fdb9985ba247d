// The contacts of a shop in its archive, with their consents, and how a restore writes them. docs/spec/archives.md
import { archiveHandlers } from '#archive/handlers'
import { restorePart, withDates } from '#archive/restore-part'
import { contactRows, suppressedMailboxRows } from '#contracts/archive/people-rows'
import type { Database } from '#postgres/connect'
import type { ActionHandlers } from '#runtime/service'
import { insertTagsOfAll } from './import/queries.ts'
import { contactDocument } from './shape.ts'
import type { ContactRow } from './tables.ts'

type Facts = Omit<ContactRow, 'document'>

export function contactArchive(db: Database): ActionHandlers {
  return archiveHandlers('contacts', db, {
    restore: {
      async contacts(tx, rows, batch) {
        const restored = await restorePart(tx, contactRows, rows, {
          ...batch,
          conflict: ['shop_id', 'id'],
          complete: ({ row }) => ({ document: contactDocument(withDates<Facts>(row, contactRows.columns)) }),
        })
        const tags = restored.flatMap((row) => {
          const { id, created_at, tags } = withDates<Facts>(row, contactRows.columns)
          return tags.map((tag) => ({ contact_id: id, created_at, tag }))
        })
        if (tags.length > 0) await insertTagsOfAll(tx, batch.shopId, tags)
      },
      async 'suppressed-mailboxes'(tx, rows, batch) {
        await restorePart(tx, suppressedMailboxRows, rows, { ...batch, conflict: ['shop_id', 'mailbox_digest'] })
      },
    },
  })
}
