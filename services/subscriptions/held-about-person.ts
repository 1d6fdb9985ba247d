// What subscriptions hold about one person, page by page: the memberships of the contact, each with its history.
// docs/spec/back-office.md#the-data-of-one-person
import type { PersonPage } from '#contracts/actions/person-data'
import { utf8Of } from '#paging/page'
import type { Database } from '#postgres/connect'
import { listWholeHistory } from './moves/queries.ts'
import { listOfContact } from './queries.ts'
import { historyDocument } from './shape.ts'

const PAGE_ROWS = 50

/** Answers the action subscriptions.of_person. */
export async function pageOfPerson(
  db: Database,
  shopId: string,
  contactId: string,
  after: { created_at: Date; id: string } | null,
): Promise<PersonPage> {
  const rows = await listOfContact(db, shopId, contactId, after, PAGE_ROWS)
  const ids = rows.map(({ id }) => id)
  const history = Map.groupBy(await listWholeHistory(db, shopId, ids), (row) => row.subscription_id)
  const texts = rows.map(({ id, document }) => {
    const moves = (history.get(id) ?? []).map(historyDocument)
    return `{"subscription":${document},"history":[${moves.join(',')}]}`
  })
  const last = rows.at(-1)
  return {
    body: utf8Of('[', texts.join(','), ']'),
    next: last === undefined ? null : { created_at: last.created_at.toISOString(), id: last.id },
  }
}
