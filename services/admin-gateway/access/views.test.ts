// Views of the console, which each operator keeps for itself (docs/spec/operators-and-roles.md#views).
import { beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { AuditEntry } from '#contracts/objects/audit-entry'
import { roles, type View } from '#contracts/objects/operator'
import { adminRequest } from '#testing/admin-requests'
import { duringTests } from '#testing/during-tests'
import { openStack } from '#testing/product/stack'

type Json = Record<string, unknown> & { id: string }
type As = Record<string, string>

const stack = duringTests(() => openStack({ form: 'one-process', env: { AUTH_FAILURES_PER_MINUTE: '10000' } }))
const root: As = {}
let shop: string
beforeAll(async () => {
  shop = (await stack.makeShop()).id
})

async function operator(role: string): Promise<As> {
  const facts = { name: role, email: `${randomUUID()}@shop.example`, role, shops: role === 'owner' ? null : [shop] }
  const { id } = (await stack.admin('POST', '/operators', facts)).data as Json
  const { secret } = (await stack.admin('POST', `/operators/${id}/tokens`, { name: 'laptop' })).data as Json
  return { authorization: `Bearer ${String(secret)}` }
}

const ask = (method: string, as: As, name = '', body?: object) =>
  adminRequest(stack, method, `/me/views${name === '' ? '' : `/${encodeURIComponent(name)}`}`, {
    headers: as,
    ...(body === undefined ? {} : { body }),
  })
const save = (as: As, name: string, path: unknown = '/s/demo/orders') => ask('PUT', as, name, { path })
const views = async (as: As) => ((await ask('GET', as)).body as { data: View[] }).data
const errorOf = (body: unknown) => (body as { error: { code: string; message: string; param: string | null } }).error

test.each(['admin token', ...roles])('an operator keeps, replaces and deletes views: %s', async (role) => {
  const as = role === 'admin token' ? root : await operator(role)
  const first = await save(as, 'New orders', '/s/demo/orders?status=new')
  const view = (first.body as { data: View }).data
  expect([first.status, view]).toEqual([
    200,
    {
      id: expect.any(String),
      object: 'view',
      name: 'New orders',
      path: '/s/demo/orders?status=new',
      createdAt: expect.any(String),
      updatedAt: view.createdAt,
    },
  ])
  const other = (await save(as, 'Grüße / 1', '/')).body as { data: View }
  const again = await ask('PUT', as, ' New orders ', { ...view, path: '/s/demo/orders?status=paid' })
  expect((again.body as { data: View }).data).toEqual({
    ...view,
    path: '/s/demo/orders?status=paid',
    updatedAt: expect.any(String),
  })
  expect(await views(as)).toEqual([other.data, (again.body as { data: View }).data])
  const gone = await ask('DELETE', as, 'New orders')
  expect([gone.status, gone.body]).toEqual([200, { data: { id: view.id, object: 'view', deleted: true } }])
  expect((await ask('DELETE', as, 'New orders')).status).toBe(404)
  await ask('DELETE', as, 'Grüße / 1')
  expect(await views(as)).toEqual([])
})

test('no operator sees or changes the views of another', async () => {
  const [one, other] = [await operator('viewer'), await operator('owner')]
  await save(one, 'mine', '/s/demo/keys')
  expect(await views(other)).toEqual([])
  expect((await ask('DELETE', other, 'mine')).status).toBe(404)
  await save(other, 'mine', '/s/demo/events')
  expect((await views(one)).map(({ path }) => path)).toEqual(['/s/demo/keys'])
})

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  's/demo',
  '/s/demo\n/orders',
  '/s/demo orders',
  '/s/\u0085demo',
  `/${'x'.repeat(1_024)}`,
  `/${'é'.repeat(512)}`,
  '',
  7,
  null,
])('a path that is none of the console is refused by name: %j', async (path) => {
  const as = await operator('viewer')
  const { status, body } = await save(as, 'bad', path)
  expect([status, errorOf(body)]).toEqual([400, expect.objectContaining({ code: 'invalid_request', param: 'path' })])
  expect(errorOf(body).message).toMatch(/^path /)
  expect(await views(as)).toEqual([])
})

test.each([' ', '\u200b', '\u0301', 'a\tb', 'x'.repeat(65), '\u0000'])(
  'a name such as %j is refused by name',
  async (name) => {
    const as = await operator('viewer')
    const { status, body } = await save(as, name)
    expect([status, errorOf(body).param]).toEqual([400, 'name'])
    expect(await views(as)).toEqual([])
  },
)

test('a name of 64 characters and a path of 1 KB are taken', async () => {
  const as = await operator('support')
  const [name, path] = ['n'.repeat(64), `/s/demo/orders?q=${'x'.repeat(1_007)}`]
  expect(Buffer.byteLength(path)).toBe(1_024)
  expect((await save(as, name, path)).status).toBe(200)
  expect(await views(as)).toMatchObject([{ name, path }])
})

test('an operator has at most 50 views, also when many are saved at once; one that exists can still be replaced', async () => {
  const as = await operator('manager')
  const names = Array.from({ length: 60 }, (_, at) => `view ${at}`)
  const answers = await Promise.all(names.map((name) => save(as, name)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(50)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.map(({ status, body }) => [status, errorOf(body).param])).toEqual(refused.map(() => [400, 'name']))
  const { data } = (await adminRequest(stack, 'GET', '/me/views?limit=100', { headers: as })).body as { data: View[] }
  expect(data).toHaveLength(50)
  expect((await save(as, data[0]?.name ?? '', '/audit')).status).toBe(200)
})

test('a change of a view leaves an audit entry without name and path, which may name a person', async () => {
  const as = await operator('viewer')
  const saved = await save(as, 'ada', '/s/demo/contacts?email=ada@example.com')
  const page = (await stack.admin('GET', '/audit?action=views.save&limit=100')) as unknown as { data: AuditEntry[] }
  const entry = page.data.find(({ requestId }) => requestId === saved.headers['x-request-id'])
  expect(entry).toMatchObject({
    outcome: 'done',
    route: '/me/views/{name}',
    shopId: null,
    objectType: 'view',
    objectId: (saved.body as { data: View }).data.id,
    changes: { name: [null, '…'], path: [null, '…'] },
  })
})
