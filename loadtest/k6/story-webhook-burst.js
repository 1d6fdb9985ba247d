// The story of a busy back office: orders are placed, paid, confirmed, shipped and completed as fast as it answers, and each
// event reaches every endpoint of its shop: all of them, signed, unchanged, in the order of each object.
// ADMIN_URLS, ADMIN_TOKEN, BURST_SHOPS (handle:product, comma-separated) and VERDICT_URL come from load.ts.
import { check, sleep } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { Counter, Gauge } from 'k6/metrics'
import { burst, handleSummary } from './report.js'

const ARRIVE_S = 60
const gateways = (__ENV.ADMIN_URLS || '').split(',')
const shops = (__ENV.BURST_SHOPS || '').split(',').map((shop) => shop.split(':'))
const moves = ['mark-paid', 'confirm', 'ship', 'complete']

const arrived = new Counter('deliveries_arrived')
const missing = new Counter('deliveries_missing')
const wrong = new Counter('deliveries_wrong')
const repeated = new Counter('deliveries_repeated')
const took = new Gauge('deliveries_took_s')

export const options = burst('webhook-burst', {
  deliveries_arrived: ['count>0'],
  deliveries_missing: ['count==0'],
  deliveries_wrong: ['count==0'],
  deliveries_repeated: ['count==0'],
})
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

// The changes are over; their deliveries are waited for.
export function teardown() {
  let verdict = read()
  for (let second = 0; verdict.missing > 0 && second < ARRIVE_S; second += 1) {
    sleep(1)
    verdict = read()
  }
  sleep(1) // Whatever would come twice may come now.
  verdict = read()
  arrived.add(verdict.expected - verdict.missing)
  missing.add(verdict.missing)
  wrong.add(verdict.wrong)
  repeated.add(verdict.repeats)
  took.add(verdict.lastS)
}

function post(url, body, name) {
  const headers = { authorization: `Bearer ${__ENV.ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const answer = http.post(url, JSON.stringify(body), { headers, tags: { name } })
  const isFine = check(answer, { 'the change is made': ({ status }) => status === 200 || status === 201 })
  return isFine ? answer.json('data') : null
}

function read() {
  return http.get(__ENV.VERDICT_URL, { tags: { name: 'verdict' } }).json()
}
