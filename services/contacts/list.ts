// The actions that read contacts. docs/spec/rest-api.md#list-contacts, docs/spec/rest-api.md#get-a-contact
import type { ActionHandlers, ServiceContext } from '#runtime/service'
import { deriveKeys } from '#config/derive-key'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { openBoundedPages } from '#paging/bounded-pages'
import { readsFor } from '#paging/list'
import { filterText, openPage, toSingle } from '#paging/page'
import { stampsPage } from '#paging/stamps'
import { emailKey, normaliseEmail } from '#person/person'
import type { Database } from '#postgres/connect'
import { listPageVersions } from '#postgres/page-version'
import { exportContacts } from './import/exported-contacts.ts'
import { findContactDocument, listContacts, listContactsByEmail, listContactsByTag } from './queries.ts'
import { normaliseTag } from './save/tags.ts'

export function listActions(context: ServiceContext, db: Database): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  const pages = openBoundedPages(db.reads)
  return {
    'contacts.versions': ({ params }) => listPageVersions(db.reads, params.shop_ids),
    async 'contacts.list'({ params: { limit, cursor, tag, email, ...rest }, locals }) {
      const { shopId } = locals.caller
      const storedTag = tag === undefined ? undefined : readTag(tag)
      const email_key = email === undefined ? undefined : emailKey(normaliseEmail(email) ?? email)
      const filter = filterText({ ...rest, tag: storedTag, email_key })
      const scope = { keys: cursorKeys, resource: 'contacts', shopId, filter }
      const request = openPage({ limit, cursor }, scope, locals.meta)
      const reads = readsFor(request, db)
      return pages(rest, request, (page) => {
        if (email_key !== undefined) {
          return listContactsByEmail(reads, shopId, { ...rest, tag: storedTag, email_key }, page)
        }
        if (storedTag === undefined) return listContacts(reads, shopId, rest, page)
        return listContactsByTag(reads, shopId, { ...rest, tag: storedTag }, page)
      })
    },
    async 'contacts.export'({ params: { limit, cursor, tag, email, ...rest }, locals }) {
      const { shopId } = locals.caller
      const storedTag = tag === undefined ? undefined : readTag(tag)
      const email_key = email === undefined ? undefined : emailKey(normaliseEmail(email) ?? email)
      const filter = { ...rest, tag: storedTag, email_key }
      const scope = { keys: cursorKeys, resource: 'exported contacts', shopId, filter: filterText(filter) }
      return exportContacts(db, shopId, filter, openPage({ limit, cursor }, scope))
    },
    'contacts.stamps': ({ params, locals: { caller } }) =>
      stampsPage(db, { table: 'contacts', shopId: caller.shopId, keys: cursorKeys }, params),
    async 'contacts.get'({ params: { id }, locals }) {
      const document = isUuid(id) ? await findContactDocument(db.reads, locals.caller.shopId, id) : null
      if (document === null) throw noContact()
      return toSingle(document)
    },
  }
}

export function noContact() {
  return refuse('not_found', 'No contact with that id in this shop.')
}

function readTag(text: string): string {
  const tag = normaliseTag(text, 'tag')
  if (tag === null) throw refuse('invalid_request', 'tag holds nothing that a tag could be.', { field: 'tag' })
  return tag
}
