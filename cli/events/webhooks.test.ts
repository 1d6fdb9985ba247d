// The webhook commands of the command line: real processes against a running product and a real receiver.
// docs/spec/command-line.md#development-commands
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { type EventBody, event as eventSchema } from '#contracts/objects/webhook-event'
import { until } from '#testing/until'
import { exchange } from '#testing/product/http'
import { openReceiver, type Receiver } from '#testing/servers/receiver'
import { type Started, startCommand } from '#testing/product/command-line'
import { openStack, type Stack } from '#testing/product/stack'
import { inOrder } from './listen.ts'

const card = {
  paymentMethod: 'card',
  items: [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 1 }],
}
let stack: Stack
let shop: string
let receiver: Receiver
let started: Started[]
beforeAll(async () => {
  stack = await openStack({ form: 'one-process', env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
})
afterAll(() => stack.stop())
beforeEach(async () => {
  shop = (await stack.makeShop()).handle
  receiver = await openReceiver()
  started = []
})
afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL')
  await receiver.close()
})

function start(args: string[]): Started {
  const port = String(stack.adminPorts[0])
  const running = startCommand(args, { ADMIN_PORT: port, ADMIN_TOKEN: 'an-operator-token-for-tests-only' })
  started.push(running)
  return running
}
const run = (...args: string[]) => start(args).ended
const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as EventBody)
const log = async () => (await stack.admin('GET', `/shops/${shop}/events?limit=100`)).data as EventBody[]

describe('storefront webhooks', () => {
  test('an endpoint is created, listed and tested; its secret is shown once', async () => {
    const made = await run('webhooks', 'create', receiver.url, '--shop', shop, '--events', 'order.*,booking.confirmed')
    expect([made.status, made.err]).toEqual([0, 'The secret is not shown again.\n'])
    const [, id = ''] = /^id\t(\S+)\nurl\t\S+\nevents\torder\.\*,booking\.confirmed\n/.exec(made.out) ?? []
    const [, secret = ''] = /\nsecret\t(\S+)\n/.exec(made.out) ?? []
    const listed = await run('webhooks', '--shop', shop)
    expect(listed.out).toMatch(/^ID\tURL\tEVENTS\tENABLED\tWAITING\tLAST ERROR\tCREATED\n/)
    expect(listed.out).toContain(`\n${id}\t${receiver.url}\torder.*,booking.confirmed\tyes\t0\t-\t`)
    expect(listed.out).not.toContain(secret)
    receiver.answer(() => ({ body: 'thanks' }))
    const tested = await run('webhooks', 'test', id, '--shop', shop, '--event', 'order.shipped')
    expect(tested).toEqual({
      status: 0,
      out: expect.stringMatching(/\nduration ms\t\d+\nstatus\t200\nerror\t-\nexcerpt\tthanks\n/),
      err: '',
    })
    const [sent] = receiver.received
    expect(new Webhook(secret).verify(sent?.body ?? '', sent?.headers ?? {})).toMatchObject({ type: 'order.shipped' })
    receiver.answer(() => ({ status: 500 }))
    expect((await run('webhooks', 'test', id, '--shop', shop)).status).toBe(1)
  })

  test('a replay is created and followed to its end', async () => {
    const from = new Date(Date.now() - 60_000).toISOString()
    await stack.makeOrder(shop, card)
    await until(async () => (await log()).length === 2)
    const path = `/shops/${shop}/webhook-endpoints`
    const { id } = (await stack.admin('POST', path, { url: receiver.url })).data as { id: string }
    const { status, out } = await run('webhooks', 'replay', id, '--shop', shop, '--from', from, '--which', 'missed')
    expect([status, out]).toEqual([0, expect.stringMatching(/\nstatus\tcompleted\n[^]*\ncount\t2\nqueued\t2\n/)])
    await until(() => receiver.received.length === 2)
  })
})

describe('storefront listen', () => {
  const listening = async (...args: string[]) => {
    const listen = start(['listen', '--shop', shop, ...args])
    await until(() => listen.out.includes('Ctrl-C ends it.\n') || listen.child.exitCode !== null)
    return listen
  }

  test('forwards new events in order, signed and byte for byte; Ctrl-C ends it with status 0', async () => {
    const before = await stack.makeOrder(shop, card)
    await until(async () => (await log()).length === 2)
    const listen = await listening('--forward-to', receiver.url)
    await until(() => listen.out.includes('signed with'))
    const secret = /signed with (whsec_\S+)\n/.exec(listen.out)?.[1] ?? ''
    receiver.answer((_one, index) => ({ status: index === 1 ? 500 : 204 }))
    const { id } = await stack.makeOrder(shop, card)
    await stack.admin('POST', `/shops/${shop}/orders/${id}/confirm`)
    await until(() => receiver.received.length === 3 && listen.out.includes('order.confirmed'))
    const token = { authorization: 'Bearer an-operator-token-for-tests-only' }
    const { text } = await exchange(stack.adminPorts[0] ?? 0, `/admin/v1/shops/${shop}/events`, { headers: token })
    for (const [index, { body, headers }] of receiver.received.entries()) {
      const event = eventSchema.parse(new Webhook(secret).verify(body, headers))
      expect([event.sequence, event.data.id, headers['webhook-id']]).toEqual([index + 1, id, event.id])
      expect(text).toContain(body)
    }
    expect(bodies().map(({ type }) => type)).toEqual(['order.created', 'order.paid', 'order.confirmed'])
    const lines = listen.out.trim().split('\n').slice(2)
    expect(lines.map((line) => line.split('\t').slice(1, 5))).toEqual([
      ['order.created', id, '#1', '204'],
      ['order.paid', id, '#2', '500'],
      ['order.confirmed', id, '#3', '204'],
    ])
    expect(lines[0]).toMatch(/^\d{4}-\S+Z\t.*\t\d+ ms$/)
    expect(listen.out).not.toContain(before.id)
    listen.child.kill('SIGINT')
    expect(await listen.ended).toMatchObject({ status: 0, err: '' })
  })

  test('signs with the same secret at the next start, leaves out events that the filter excludes, and shows connection errors', async () => {
    const first = await listening('--forward-to', receiver.url)
    const second = await listening('--forward-to', 'http://localhost:9/', '--events', 'order.paid')
    const secretOf = (out: string) => /signed with (whsec_\S+)\n/.exec(out)?.[1]
    await until(() => secretOf(first.out) !== undefined && secretOf(second.out) !== undefined)
    expect(secretOf(first.out)).toBe(secretOf(second.out))
    await stack.makeOrder(shop, card)
    await until(() => /order\.paid.*\tconnection\t\d+ ms\n/.test(second.out))
    expect(second.out).not.toContain('order.created')
  })

  test('without --forward-to it only shows events', async () => {
    const listen = await listening()
    await stack.makeOrder(shop, card)
    await until(() => /order\.created\t\S+\t#1\n.*order\.paid\t\S+\t#2\n$/s.test(listen.out))
  })
})

describe('storefront trigger', () => {
  test('makes a real order in a test shop, which listen shows and an endpoint gets', async () => {
    await stack.admin('PATCH', `/shops/${shop}`, { mode: 'test' })
    await stack.admin('POST', `/shops/${shop}/webhook-endpoints`, { url: receiver.url, events: ['order.shipped'] })
    const listen = start(['listen', '--shop', shop, '--json'])
    await until(() => listen.err.includes('Ctrl-C ends it.'))
    const { status, out } = await run('trigger', 'order.shipped', '--shop', shop, '--json')
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as EventBody)
    expect([status, events.map(({ type }) => type)]).toEqual([
      0,
      ['order.created', 'order.paid', 'order.confirmed', 'order.shipped'],
    ])
    await until(() => listen.out.trim().split('\n').length === 4 && receiver.received.length === 1)
    expect(listen.out).toBe(out)
    expect(bodies()).toEqual(events.slice(3))
  })

  test('places nothing in a live shop unless --live says so', async () => {
    const { status, out, err } = await run('trigger', 'order.paid', '--shop', shop)
    expect([status, out, err]).toEqual([
      1,
      '',
      expect.stringMatching(/is live: the order would be a real one\. .*--live\.\n$/),
    ])
    expect(await log()).toEqual([])
    expect((await run('trigger', 'order.paid', '--shop', shop, '--live')).status).toBe(0)
  })

  test('with --sample sends a made-up body to every enabled endpoint, or to one, and makes nothing', async () => {
    const path = `/shops/${shop}/webhook-endpoints`
    const other = await openReceiver()
    other.answer(() => ({ status: 418, body: 'tea' }))
    for (const [url, enabled] of [
      [receiver.url, true] as const,
      [other.url, true] as const,
      [other.url, false] as const,
    ]) {
      await stack.admin('POST', path, { url, enabled })
    }
    const sample = ['trigger', 'subscription.ended', '--shop', shop, '--sample']
    const { status, out } = await run(...sample)
    expect([status, out]).toEqual([1, expect.stringMatching(/^URL\t.*STATUS\tERROR\tEXCERPT/)])
    expect(out).toMatch(new RegExp(`\n${other.url}\t.*\t418\t-\ttea`))
    expect([bodies().map(({ type, test: isTest }) => [type, isTest]), other.received.length]).toEqual([
      [['subscription.ended', true]],
      1,
    ])
    const { id } = (await stack.admin('POST', path, { url: receiver.url })).data as { id: string }
    expect((await run('trigger', 'order.paid', '--shop', shop, '--endpoint', id)).status).toBe(0)
    expect([receiver.received.length, other.received.length, await log()]).toEqual([2, 1, []])
    await other.close()
  })

  test('with --sample prints the event where no endpoint is enabled', async () => {
    const { status, out, err } = await run('trigger', 'order.shipped', '--shop', shop, '--sample')
    expect([status, err]).toEqual([
      0,
      'The shop has no enabled endpoint; this is the body that an endpoint would receive.\n',
    ])
    expect(eventSchema.parse(JSON.parse(out))).toMatchObject({ type: 'order.shipped', test: true, sequence: 0 })
  })
})

describe('storefront events resend', () => {
  test('sends the event again to the endpoints that it was meant for', async () => {
    const path = `/shops/${shop}/webhook-endpoints`
    await stack.admin('POST', path, { url: receiver.url, events: ['order.paid'] })
    await stack.admin('POST', path, { url: receiver.url, events: ['subscription.*'] })
    await stack.makeOrder(shop, card)
    await until(() => receiver.received.length === 1)
    await until(async () => !(await run('deliveries', '--shop', shop)).out.includes('pending'))
    const paid = (await log()).find(({ type }) => type === 'order.paid')
    const resent = await run('events', 'resend', paid?.id ?? '', '--shop', shop, '--json')
    expect([resent.status, JSON.parse(resent.out)]).toEqual([
      0,
      expect.objectContaining({ reason: 'manual', status: 200 }),
    ])
    expect(new Set(bodies().map(({ id }) => id))).toEqual(new Set([paid?.id]))
    const created = (await log()).find(({ type }) => type === 'order.created')
    const nobody = await run('events', 'resend', created?.id ?? '', '--shop', shop)
    expect([nobody.status, nobody.err]).toEqual([1, expect.stringContaining('No enabled endpoint')])
  })
})

test('events of one object are sorted by sequence number, those of others keep their positions', () => {
  const event = (id: string, sequence: number) => ({ id: `${id}${sequence}`, sequence, data: { id } }) as EventBody
  const mixed = [event('a', 2), event('b', 7), event('a', 1), event('b', 6), event('a', 3)]
  expect(inOrder(mixed).map(({ id }) => id)).toEqual(['a1', 'b6', 'a2', 'b7', 'a3'])
})
