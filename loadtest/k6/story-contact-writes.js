// The story of a sign-up form: a contact is saved, saved again without change, tagged, and found by its email.
import { check } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { base, handleSummary, headers, opened, steady } from './report.js'

export const options = steady('contact-writes', 0.25)
export { handleSummary }

export default function write() {
  const [url, own] = [`${base()}/api/v1`, headers()]
  const email = `k6-${Date.now()}-${exec.scenario.iterationInTest}@example.com`
  const post = (path, body, name) => http.post(url + path, JSON.stringify(body), { headers: own, tags: { name } })
  const made = opened(post('/contacts', { name: 'Ada', email, tags: ['VIP'] }, 'POST /contacts'))
  if (made === null) return
  const again = opened(post('/contacts', { name: 'Ada', email }, 'POST /contacts'))
  check(again, { 'the same contact': (answer) => answer?.data.id === made.data.id })
  opened(post(`/contacts/${made.data.id}/tags`, { add: ['k6'] }, 'POST /contacts/{id}/tags'))
  const found = opened(http.get(`${url}/contacts?email=${email}`, { headers: own, tags: { name: 'GET /contacts' } }))
  check(found, {
    'found by its email': (answer) => answer?.data.length === 1,
    'with both tags': (answer) => answer?.data[0]?.tags.includes('k6') && answer.data[0].tags.includes('vip'),
  })
}
