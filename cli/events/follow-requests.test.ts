// `storefront requests --follow` as a process, against a running product. docs/spec/request-log.md#live-stream
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Started, startCommand } from '#testing/product/command-line'
import { openStack, type Stack } from '#testing/product/stack'
import { until } from '#testing/until'

let stack: Stack
let shop: { id: string; handle: string }
let key: { secret: string }
beforeAll(async () => {
  stack = await openStack({ form: 'distributed', replicas: { 'admin-gateway': 2 } })
  shop = await stack.makeShop()
  key = await stack.makeKey(shop.id)
})
afterAll(() => stack.stop())

function start(...args: string[]): Started {
  const env = { ADMIN_PORT: String(stack.adminPorts[1]), ADMIN_TOKEN: 'an-operator-token-for-tests-only' }
  return startCommand(['requests', '--shop', shop.handle, ...args], env)
}

test('shows requests as they happen, one line each or as JSON; Ctrl-C ends it with status 0', async () => {
  const [plain, json] = [start('--follow'), start('--follow', '--json')]
  await until(() => plain.err.includes('Ctrl-C') && json.err.includes('Ctrl-C'))
  // Again where the lease of the watched shop reached the gateway late; what two processes saw may come in either order.
  await until(async () => {
    await stack.get('/api/v1/shop', { key: key.secret })
    return [plain, json].every(({ out }) => out !== '')
  })
  await stack.mcp.tool('get_order', { id: '1' }, { key: key.secret })
  await until(() => [plain, json].every(({ out }) => out.includes('get_order')))
  for (const { child } of [plain, json]) child.kill('SIGINT')
  expect((await plain.ended).status).toBe(0)
  expect(plain.out).toMatch(
    /^(\S+Z\t200\tGET\t\/api\/v1\/shop\t\t\d+ ms\n)+\S+Z\t404\tPOST\tget_order\tnot_found\t\d+ ms\n(\S+Z\t200\t.*\n)*$/,
  )
  expect((await json.ended).out.split('\n')[1]).toMatch(/^{"name":"request","data":{"id":/)
})

test('with a filter, and for a shop that does not exist, it ends and says why', async () => {
  const filtered = await start('--follow', '--status', '404').ended
  expect([filtered.status, filtered.err]).toEqual([2, expect.stringContaining('takes no filter')])
  const unknown = await start('--follow', '--shop', 'nobody').ended
  expect([unknown.status, unknown.err]).toEqual([1, expect.stringContaining('No such shop')])
})

test('opens the stream again where it ends, as after another role', async () => {
  const { id } = (
    await stack.admin('POST', '/operators', { name: 'A', email: 'a@a.example', role: 'viewer', shops: [shop.id] })
  ).data as {
    id: string
  }
  const { secret } = (await stack.admin('POST', `/operators/${id}/tokens`, { name: 'a' })).data as { secret: string }
  const env = { ADMIN_PORT: String(stack.adminPorts[1]), ADMIN_TOKEN: secret }
  const follow = startCommand(['requests', '--shop', shop.handle, '--follow', '--json'], env)
  await until(() => follow.err.includes('Ctrl-C'))
  // Another role ends the stream and may open it again.
  await stack.admin('PATCH', `/operators/${id}`, { role: 'support', shops: [shop.id] })
  await until(async () => {
    await stack.get('/api/v1/shop', { key: key.secret })
    return follow.out.includes('"redacted":true')
  })
  follow.child.kill('SIGINT')
  expect((await follow.ended).status).toBe(0)
})
