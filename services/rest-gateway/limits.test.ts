// The budgets of a client over all gateways and replicas (docs/spec/rest-api.md#rate-limit, docs/spec/rest-api.md#failure-budget).
import { describe, expect, test } from '@jest/globals'
import { forms } from '#testing/product/deployment-forms'
import type { Answer } from '#testing/product/http'
import { openStack } from '#testing/product/stack'

const replicas = { 'rest-gateway': 2, auth: 2 }
const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length

describe.each(forms)('budgets, %s', (form) => {
  test('of 300 calls at once on one key exactly 240 are answered, on however many gateways and replicas', async () => {
    const stack = await openStack({ form, replicas })
    try {
      const { secret: key } = await stack.makeKey((await stack.makeShop()).id)
      const gateways = stack.ports.length
      const calls = Array.from({ length: 300 }, (_nothing, index) =>
        stack.get('/api/v1/shop', { key, gateway: index % gateways }),
      )
      const answers = await Promise.all(calls)
      expect({ answered: count(answers, 200), refused: count(answers, 429) }).toEqual({ answered: 240, refused: 60 })
      const refused = answers.find(({ status }) => status === 429)
      expect(refused?.body).toEqual({
        error: expect.objectContaining({
          code: 'rate_limited',
          message: expect.stringMatching(/^More than 240 calls in a minute/),
        }),
      })
      expect(refused?.headers).toMatchObject({
        'ratelimit-policy': '"default";q=240;w=60',
        ratelimit: expect.stringMatching(/^"default";r=0;t=\d+$/),
        'retry-after': expect.stringMatching(/^[1-9]\d?$/),
      })
      for (let gateway = 0; gateway < gateways; gateway += 1) {
        expect((await stack.get('/api/v1/nothing', { key, gateway })).status).toBe(429)
      }
    } finally {
      await stack.stop()
    }
  })

  test('guesses are limited by source; a valid key never meets that budget', async () => {
    const stack = await openStack({ form, env: { AUTH_FAILURES_PER_MINUTE: '3' } })
    try {
      const { secret: key } = await stack.makeKey((await stack.makeShop()).id)
      for (let index = 0; index < 5; index += 1) expect((await stack.get('/api/v1/shop', { key })).status).toBe(200)
      const guesses: Answer[] = []
      for (let index = 0; index < 5; index += 1) guesses.push(await stack.get('/api/v1/shop', { key: `guess${index}` }))
      expect(guesses.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429])
      expect(guesses[4]?.headers).toMatchObject({ 'retry-after': expect.stringMatching(/^\d+$/) })
      expect(guesses[4]?.headers).not.toHaveProperty('ratelimit')
      const forged = { 'x-forwarded-for': '203.0.113.9' }
      expect((await stack.get('/api/v1/shop', { key: 'guess', headers: forged })).status).toBe(429)
      expect((await stack.get('/api/v1/shop', { key })).status).toBe(200)
    } finally {
      await stack.stop()
    }
  })
})
