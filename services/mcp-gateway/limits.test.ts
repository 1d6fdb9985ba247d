// One budget of a key over REST and MCP, and the budget of failed authentications (docs/spec/rest-api.md#rate-limit,
// docs/spec/rest-api.md#failure-budget, docs/spec/mcp.md#authentication).
import { describe, expect, test } from '@jest/globals'
import { forms } from '#testing/product/deployment-forms'
import type { Answer } from '#testing/product/http'
import { errorOf } from '#testing/product/mcp'
import type { Revision } from '#testing/schemas/mcp-schema'
import { openStack } from '#testing/product/stack'

const revisions: Revision[] = ['2026-07-28', '2025-11-25', '2025-06-18']
const replicas = { 'rest-gateway': 2, 'mcp-gateway': 2, auth: 2 }
const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length

describe.each(forms)('budgets, %s', (form) => {
  // A few at a time: a gateway that a machine without time keeps from answering a recall for 300 ms keeps its units. All at once:
  // libs/admission/lease.test.ts.
  test('of 300 calls of eight clients on one key, over REST and MCP and two gateways of each, exactly 240 are answered', async () => {
    const stack = await openStack({ form, replicas })
    try {
      const { secret: key } = await stack.makeKey((await stack.makeShop()).id)
      const gateways = stack.ports.length
      expect(stack.mcpPorts.length).toBe(gateways)
      const call = (index: number) => {
        const gateway = Math.floor(index / 2) % gateways
        if (index % 2 === 0) return stack.get('/api/v1/shop', { key, gateway })
        const revision = revisions[index % 3]
        return index % 4 === 1
          ? stack.mcp.tool('get_shop', {}, { key, gateway, revision })
          : stack.mcp.call('tools/list', {}, { key, gateway, revision })
      }
      const answers: Answer[] = []
      let next = 0
      const client = async () => {
        while (next < 300) answers.push(await call(next++))
      }
      await Promise.all(Array.from({ length: 8 }, client))
      expect({ answered: count(answers, 200), refused: count(answers, 429) }).toEqual({ answered: 240, refused: 60 })
      for (let gateway = 0; gateway < gateways; gateway += 1) {
        const budget = {
          'ratelimit-policy': '"default";q=240;w=60',
          ratelimit: expect.stringMatching(/^"default";r=0;t=\d+$/),
          'retry-after': expect.stringMatching(/^[1-9]\d?$/),
        }
        const message = expect.stringMatching(/^More than 240 calls in a minute/)
        for (const path of ['/api/v1/shop', '/api/v1/nothing']) {
          const body = { error: expect.objectContaining({ code: 'rate_limited', message }) }
          expect(await stack.get(path, { key, gateway })).toMatchObject({ status: 429, headers: budget, body })
        }
        const answer = await stack.mcp.tool('get_shop', {}, { key, gateway, id: 'late' })
        expect(answer.status).toBe(429)
        expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: 'late' })
        expect(errorOf(answer)).toMatchObject({ code: 429, message, data: { code: 'rate_limited' } })
        const version = { 'mcp-protocol-version': '2026-07-28', 'cache-control': 'no-store, private' }
        expect(answer.headers).toMatchObject({ ...budget, ...version })
      }
      expect((await stack.mcp.call('server/discover', {}, { key })).status).toBe(200)
    } finally {
      await stack.stop()
    }
  })

  test('what is left never rises from one response to the next and is never too much, over every gateway', async () => {
    const stack = await openStack({ form, replicas })
    try {
      const { secret: key } = await stack.makeKey((await stack.makeShop()).id)
      const shown: number[] = []
      let admitted = 0
      for (let call = 0; call < 245; call += 1) {
        const gateway = Math.floor(call / 3) % stack.ports.length
        const answer =
          call % 3 === 0
            ? await stack.mcp.tool('get_shop', {}, { key, gateway })
            : await stack.get('/api/v1/none', { key, gateway })
        if (answer.status !== 429) admitted += 1
        const left = Number(/r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1])
        expect(left).toBeLessThanOrEqual(Math.min(shown.at(-1) ?? 240, 240 - admitted))
        shown.push(left)
      }
      expect([admitted, shown.at(-1)]).toEqual([240, 0])
    } finally {
      await stack.stop()
    }
  })

  test('tool errors and refused params count against the budget; methods without a key do not', async () => {
    const stack = await openStack({ form, env: { REQUESTS_PER_MINUTE: '6' } })
    try {
      const { secret: key } = await stack.makeKey((await stack.makeShop()).id)
      for (let time = 0; time < 5; time += 1) {
        expect((await stack.mcp.call('server/discover', {}, { key })).status).toBe(200)
        expect((await stack.mcp.call('ping', {}, { key })).status).toBe(404)
      }
      const calls = [
        () => stack.mcp.tool('get_order', { id: 'none' }, { key }),
        () => stack.mcp.tool('create_contact', {}, { key }),
        () => stack.mcp.tool('get_shop', {}, { key, headers: { 'mcp-name': null } }),
        () => stack.mcp.call('prompts/list', {}, { key }),
        () => stack.mcp.call('resources/list', {}, { key }),
        () => stack.get('/api/v1/shop', { key }),
      ]
      const left: string[] = []
      for (const call of calls) left.push(/r=(\d+)/.exec((await call()).headers.ratelimit ?? '')?.[1] ?? 'none')
      expect(left).toEqual(['5', '4', '3', '2', '1', '0'])
      expect((await stack.mcp.call('tools/list', {}, { key })).status).toBe(429)
    } finally {
      await stack.stop()
    }
  })

  test('guesses are limited by source, over REST and MCP together; a valid key never meets that budget', async () => {
    const stack = await openStack({ form, env: { AUTH_FAILURES_PER_MINUTE: '3' } })
    try {
      const { secret: key } = await stack.makeKey((await stack.makeShop()).id)
      expect((await stack.get('/api/v1/shop', { key: 'guess' })).status).toBe(401)
      const guesses: Answer[] = []
      for (let index = 0; index < 4; index += 1)
        guesses.push(await stack.mcp.call('tools/list', {}, { key: `guess${index}` }))
      expect(guesses.map(({ status }) => status)).toEqual([401, 401, 429, 429])
      expect(guesses[3]?.headers).toMatchObject({ 'retry-after': expect.stringMatching(/^\d+$/) })
      const forged = await stack.get('/api/v1/shop', { key: 'guess', headers: { 'x-forwarded-for': '203.0.113.9' } })
      expect(forged.status).toBe(429)
      expect(forged.headers).not.toHaveProperty('ratelimit')
      expect((await stack.mcp.call('tools/list', {}, { key })).status).toBe(200)
      expect((await stack.get('/api/v1/shop', { key })).status).toBe(200)
    } finally {
      await stack.stop()
    }
  })
})
