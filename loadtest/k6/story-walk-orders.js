// The story of an integration that reads a whole shop: page after page by cursor, no row twice, none missing.
import { check } from 'k6'
import http from 'k6/http'
import { base, handleSummary, headers, opened, steady } from './report.js'

export const options = steady('walk-orders', 0.1)
export { handleSummary }

export default function walk() {
  const [url, own] = [base(), headers()]
  const seen = new Set()
  let rows = 0
  let cursor = null
  do {
    const query = `limit=25${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const page = opened(
      http.get(`${url}/api/v1/orders?${query}`, { headers: own, tags: { name: 'GET /orders, a walk' } }),
    )
    if (page === null) return
    for (const { id } of page.data) seen.add(id)
    rows += page.data.length
    cursor = page.next_cursor
  } while (cursor !== null)
  check(rows, {
    'no row twice': () => seen.size === rows,
    'the walk is whole': () => rows >= Number(__ENV.ORDERS || 1),
  })
}
