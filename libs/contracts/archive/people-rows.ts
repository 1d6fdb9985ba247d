// The rows of contacts in an archive. docs/spec/archives.md#parts
import { reference, referenceOrder, type RowsFormat } from './rows.ts'

export const contactRows: RowsFormat = {
  table: 'contacts',
  key: 'id',
  columns: {
    id: 'id',
    name: 'text',
    email: 'text',
    email_key: 'text',
    phone: 'text',
    tags: 'texts',
    source: 'text',
    marketing_consent_at: 'instant',
    line1: 'text',
    line2: 'text',
    city: 'text',
    region: 'text',
    postal_code: 'text',
    country: 'text',
    private_note: 'text',
    created_at: 'instant',
    updated_at: 'instant',
  },
  inner: {
    consents: {
      table: 'consents',
      of: 'contact_id',
      order: ['at', 'kind', 'source', 'id'],
      columns: {
        id: 'id',
        kind: 'text',
        email: 'text',
        at: 'instant',
        address: 'text',
        agent: 'text',
        text_version: 'text',
        source: 'text',
      },
    },
    opt_in_requests: {
      table: 'opt_in_requests',
      of: 'contact_id',
      order: ['created_at', 'expires_at', 'id'],
      columns: {
        id: 'id',
        mailbox: 'text',
        email: 'text',
        shop_name: 'text',
        source: 'text',
        token_digest: 'digest',
        created_at: 'instant',
        expires_at: 'instant',
        sent_at: 'instant',
        confirmed_at: 'instant',
        voided_at: 'instant',
      },
    },
    references: { table: 'external_references', of: 'object_id', order: referenceOrder, columns: reference },
  },
}

export const suppressedMailboxRows: RowsFormat = {
  table: 'suppressed_mailboxes',
  key: 'mailbox_digest',
  columns: { mailbox_digest: 'bytes', created_at: 'instant' },
}
