// Replays the session of docs/guides/agents.md: every call is sent, every answer is the one that the guide shows. A value in
// angle brackets stands for what the first answer with it holds.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { toldBy } from '#testing/product/mcp'
import { openStack, type Stack } from '#testing/product/stack'

type Json = { [field: string]: unknown }
const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/agents.md'), 'utf8')
const session = /## A session[^]*?```text\n([^]*?)```/.exec(guide)?.[1]?.trim().split('\n') ?? []
const calls = session.flatMap((line, index) => {
  const [, tool = '', given = ''] = /^> (\w+) (.*)$/.exec(line) ?? []
  return tool === '' ? [] : [{ tool, given, answer: session[index + 1]?.slice(2) ?? '' }]
})
const BUDGET = 240

/** Ada has three unpaid orders and a paid one, Bob has none. */
async function openShop(stack: Stack): Promise<string> {
  const { id } = await stack.makeShop()
  await stack.makeContact(id, { name: 'Ada Lovelace', email: 'ada@example.com', tags: ['vip'] })
  await stack.makeContact(id, { name: 'Bob Martin', email: 'bob@example.com' })
  const order = (day: string, paymentMethod: string, quantity: number) => {
    const items = [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 1250 }, quantity }]
    const customer = { email: 'ada@example.com' }
    return stack.makeOrder(id, { paymentMethod, customer, items, createdAt: `2026-04-${day}T00:00:00.000Z` })
  }
  await order('01', 'bank_transfer', 1)
  const second = await order('02', 'bank_transfer', 1)
  await stack.admin('POST', `/shops/${id}/orders/${second.id}/confirm`, {})
  await order('03', 'card', 1)
  await order('04', 'bank_transfer', 2)
  return id
}

test('the session of the guide is what the product answers, to the end of the budget', async () => {
  const stack = await openStack({ form: 'one-process' })
  try {
    const { secret: key } = await stack.makeKey(await openShop(stack), 'write')
    const known = new Map<string, string>()
    const inserted = (text: string) => text.replaceAll(/<\w+>/g, (name) => known.get(name) ?? name)
    for (let spent = 0; spent < BUDGET - calls.length + 1; spent += 1) await stack.get('/api/v1/shop', { key })
    for (const { tool, given, answer } of calls) {
      const response = await stack.mcp.tool(tool, JSON.parse(inserted(given)) as Json, { key })
      const shown =
        response.status === 200
          ? JSON.stringify(toldBy(response).structured)
          : `HTTP ${response.status}, retry-after: ${response.headers['retry-after']}`
      bind(answer, shown, known)
      expect(shown).toBe(inserted(answer))
    }
    expect(calls.at(-1)?.answer).toMatch(/^HTTP 429, /)
  } finally {
    await stack.stop()
  }
})

/** Remembers what stands in `shown` where `answer` has a name in angle brackets that is not known yet. */
function bind(answer: string, shown: string, known: Map<string, string>): void {
  const names = [...answer.matchAll(/<\w+>/g)].map(([name]) => name)
  const pattern = answer
    .split(/<\w+>/)
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('([^"]+)')
  const values = new RegExp(`^${pattern}$`).exec(shown)?.slice(1) ?? []
  for (const [index, name] of names.entries()) if (!known.has(name)) known.set(name, values[index] ?? name)
}
