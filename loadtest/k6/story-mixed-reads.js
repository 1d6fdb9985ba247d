// The story of dashboards and syncs: lists with filters, single objects, the shop itself.
import http from 'k6/http'
import { base, handleSummary, headers, opened, steady } from './report.js'

export const options = steady('mixed-reads')
export { handleSummary }

const paths = [
  ...['/orders', '/orders?limit=100', '/orders?status=new', '/orders?payment_status=paid&limit=5'],
  ...['/products', '/contacts', '/contacts?email=ada-1@example.com', '/shop'],
  ...['/orders?created_after=2020-01-01T00:00:00Z', '/contacts?updated_before=2100-01-01T00:00:00Z'],
]

export default function read() {
  const [url, own] = [`${base()}/api/v1`, headers()]
  const path = paths[Math.floor(Math.random() * paths.length)]
  const [list] = path.split('?')
  const answer = opened(http.get(url + path, { headers: own, tags: { name: `GET ${list}` } }))
  const first = Array.isArray(answer?.data) ? answer.data[0] : undefined
  if (first === undefined) return
  opened(http.get(`${url}${list}/${first.id}`, { headers: own, tags: { name: `GET ${list}/{id}` } }))
}
