// The public API while a service is down: an error without its cause, soon; other routes go on (docs/spec/rest-api.md#outages,
// docs/spec/security.md#killed-processes).
import { describe, expect, test } from '@jest/globals'
import { punctualMs } from '#testing/lateness'
import { forms } from '#testing/product/deployment-forms'
import { type Answer, exchange } from '#testing/product/http'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

const wrong = {
  error: expect.objectContaining({
    code: 'server_error',
    message: expect.stringMatching(/^Something went wrong on our side\. Try again;/),
  }),
}

/** Asks, and checks that the answer came within the time of a call, without what this process was late by. */
async function inTime(ask: () => Promise<Answer>): Promise<Answer> {
  const answers: Answer[] = []
  expect(await punctualMs(async () => answers.push(await ask()))).toBeLessThan(5_500)
  return answers[0] as Answer
}

describe.each(forms.filter((form) => form === 'distributed'))('outages, %s', (form) => {
  test('without the orders service its routes fail within the time of a call; the others go on', async () => {
    const stack = await openStack({ form })
    try {
      const { secret: key } = await stack.makeKey((await stack.makeShop()).id)
      expect((await stack.get('/api/v1/orders', { key })).status).toBe(200)
      await stack.running('orders')[0]?.stop()
      const statuses = new Set<number>()
      for (let index = 0; index < 30; index += 1) {
        const { status, body, headers } = await inTime(() => stack.get('/api/v1/orders', { key }))
        expect(body).toEqual(wrong)
        expect(headers['retry-after']).toMatch(/^\d+$/)
        statuses.add(status)
      }
      expect([...statuses]).toEqual([503])
      expect((await stack.get('/api/v1/contacts', { key })).status).toBe(200)
    } finally {
      await stack.stop()
    }
  })

  test('without the contacts service writes and pages fail fast; one replica of it is enough', async () => {
    const stack = await openStack({ form, replicas: { contacts: 2 } })
    try {
      const { secret: key } = await stack.makeKey((await stack.makeShop()).id, 'write')
      const post = () => stack.post('/api/v1/contacts', { key, json: { email: 'ada@example.com' } })
      await stack.running('contacts')[0]?.stop()
      expect((await post()).status).toBe(200)
      await stack.running('contacts')[1]?.stop()
      // A command to a process whose end the gateway has not heard of yet is answered 500: nobody knows what became of it.
      await until(async () => (await post()).status === 503)
      const statuses = new Set<number>()
      for (let index = 0; index < 30; index += 1) {
        const { status, body } = await inTime(post)
        expect(body).toEqual(wrong)
        statuses.add(status)
      }
      expect([...statuses]).toEqual([503])
      const page = await exchange(stack.ports[0] ?? 0, `/opt-in/${'A'.repeat(43)}`, { method: 'POST' })
      expect(page).toMatchObject({ status: 503, headers: { 'content-type': 'text/html; charset=utf-8' } })
    } finally {
      await stack.stop()
    }
  })

  test('with one of two replicas gone no request fails', async () => {
    const stack = await openStack({ form, replicas: { contacts: 2 } })
    try {
      const { secret: key } = await stack.makeKey((await stack.makeShop()).id)
      const calls = Array.from({ length: 30 }, () => stack.get('/api/v1/contacts', { key }))
      await stack.running('contacts')[0]?.stop()
      calls.push(...Array.from({ length: 30 }, () => stack.get('/api/v1/contacts', { key })))
      const statuses = (await Promise.all(calls)).map(({ status }) => status)
      expect(new Set(statuses)).toEqual(new Set([200]))
    } finally {
      await stack.stop()
    }
  })
})
