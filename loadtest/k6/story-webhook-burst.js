// The story of a busy back office: orders are placed, paid, confirmed, shipped and completed as fast as it answers, and each
// event reaches every endpoint of its shop: all of them, signed, unchanged, in the order of each object, which load.ts judges.
// ADMIN_URLS, ADMIN_TOKEN and BURST_SHOPS (handle:product, comma-separated) come from load.ts.
import { check } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { burst, handleSummary } from './report.js'

const gateways = (__ENV.ADMIN_URLS || '').split(',')
const shops = (__ENV.BURST_SHOPS || '').split(',').map((shop) => shop.split(':'))
const moves = ['mark-paid', 'confirm', 'ship', 'complete']

export const options = burst('webhook-burst')
export { handleSummary }

export default function work() {
  const turn = exec.scenario.iterationInTest
  const [handle, productId] = shops[turn % shops.length]
  const url = `${gateways[turn % gateways.length]}/admin/v1/shops/${handle}/orders`
  const order = { paymentMethod: 'card', items: [{ productId, quantity: 1 }] }
  const placed = post(url, order, 'place')
  if (placed === null) return
  for (const move of moves) post(`${url}/${placed.id}/${move}`, {}, move)
}

function post(url, body, name) {
  const headers = { authorization: `Bearer ${__ENV.ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const answer = http.post(url, JSON.stringify(body), { headers, tags: { name } })
  const isFine = check(answer, { 'the change is made': ({ status }) => status === 200 || status === 201 })
  return isFine ? answer.json('data') : null
}
