// The story of an integration that reads a whole shop: page after page by cursor, no row twice, none missing. ORDERS is
// how many the shop has at least.
import { check } from 'k6'
import http from 'k6/http'
import { base, handleSummary, headers, opened, steady } from './report.js'

export const options = steady('walk-orders', 0.1)
export { handleSummary }

const PAGES_MAX = 5 // Of a large shop more would exceed the budget of the key.

export default function walk() {
  const [url, own] = [base(), headers()]
  const seen = new Set()
  let [rows, pages, cursor] = [0, 0, null]
  do {
    const query = `limit=25${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const page = opened(
      http.get(`${url}/api/v1/orders?${query}`, { headers: own, tags: { name: 'GET /orders, a walk' } }),
    )
    if (page === null) return
    for (const { id } of page.data) seen.add(id)
    rows += page.data.length
    pages += 1
    cursor = page.next_cursor
  } while (cursor !== null && pages < PAGES_MAX)
  check(rows, {
    'no row twice': () => seen.size === rows,
    'the walk is whole': () => rows >= Number(__ENV.ORDERS || 0),
  })
}
