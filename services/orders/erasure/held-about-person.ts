// What orders hold about one person, page by page: the orders that an erasure of the person would empty, each with its private note,
// disputes, history and what imports kept about it. docs/spec/back-office.md#the-data-of-one-person
import type { Person, PersonPage } from '#contracts/actions/person-data'
import type { OrderOfPerson } from '#contracts/person-data'
import { toMoney } from '#money/money'
import { utf8Of } from '#paging/page'
import type { Database } from '#postgres/connect'
import { listReferencesOf } from '#postgres/import/external-reference'
import { historyDocument } from '../shape.ts'
import { type HeldDisputeRow, listDisputes, listOrdersOfPerson, listWholeHistory, type Position } from './queries.ts'

const PAGE_ROWS = 50

/** Answers the action orders.of_person. */
export async function pageOfPerson(
  db: Database,
  shopId: string,
  person: Person,
  after: Position | null,
): Promise<PersonPage> {
  const orders = await listOrdersOfPerson(db, shopId, person, after, PAGE_ROWS)
  const ids = orders.map(({ id }) => id)
  const disputes = Map.groupBy(await listDisputes(db, shopId, ids), (row) => row.order_id)
  const history = Map.groupBy(await listWholeHistory(db, shopId, ids), (row) => row.order_id)
  const references = Map.groupBy(await listReferencesOf(db, shopId, ids), (row) => row.object_id)
  const texts = orders.map(({ id, document, private_note, currency }) => {
    const rest: Omit<OrderOfPerson, 'order' | 'history'> = {
      privateNote: private_note,
      disputes: (disputes.get(id) ?? []).map((row) => toDispute(row, currency)),
      imports: (references.get(id) ?? []).map(({ source, key, told }) => ({ source, key, result: told })),
    }
    const moves = (history.get(id) ?? []).map((row) => historyDocument(row, currency))
    return `{"order":${document},"history":[${moves.join(',')}],${JSON.stringify(rest).slice(1)}`
  })
  const last = orders.at(-1)
  return {
    body: utf8Of('[', texts.join(','), ']'),
    next: last === undefined ? null : { created_at: last.created_at.toISOString(), id: last.id },
  }
}

function toDispute(row: HeldDisputeRow, currency: string): OrderOfPerson['disputes'][number] {
  return {
    id: row.id,
    amount: toMoney(row.amount_cents, currency),
    reason: row.reason,
    state: row.state,
    openedAt: row.opened_at.toISOString(),
    closedAt: row.closed_at?.toISOString() ?? null,
  }
}
