// A rotation of the token of the back office, of the logins on NATS and of those on the database, each as its guide says, under load: the
// replicas of two steps work beside each other, and no request fails. docs/guides/operators.md#rotate-the-back-office-token
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connect } from 'nats'
import { findNatsServer, type NatsServer, startNatsServer } from '#local-servers/nats-server'
import { natsServers } from '#runtime/nats-transporter'
import { createDatabase, onServer, type TestDatabase } from '#testing/database'
import { openBackOffice } from '#testing/product/back-office'
import { type Fleet, startFleet } from '#testing/product/fleet'
import { type Answer, exchange } from '#testing/product/http'
import { until } from '#testing/until'
import { describeWhere } from '#testing/where-possible'
import { busLogins, passwordVariable } from './bus-logins.ts'
import { services } from './services.ts'

/** What a step gives to every replica; `user` and `login` are the 1st or the 2nd of their service. */
type Step = { user: number; login: number; ADMIN_TOKEN: string; ADMIN_TOKEN_PREVIOUS?: string }

const [before, after] = [`before-${randomUUID()}`, `after-${randomUUID()}`]
const first: Step = { user: 1, login: 1, ADMIN_TOKEN: before }
const second: Step = { user: 2, login: 2, ADMIN_TOKEN: after, ADMIN_TOKEN_PREVIOUS: before }
const third: Step = { user: 2, login: 1, ADMIN_TOKEN: after }
const WORKERS = 2
const ROUNDS = 4 // While the replicas of two steps are there, and while those of one are.
const mark = randomBytes(4).toString('hex') // Roles belong to the whole server.
const namespace = `test-${randomUUID()}`
const schemas = services.flatMap(({ storage }) => storage?.schema ?? [])
const natsProgram = findNatsServer(process.env.PATH ?? '')

const loginOf = (schema: string, number: number) => `rotated_${mark}_${schema}_${number}`
const newPassword = () => `p${randomBytes(12).toString('hex')}`

describeWhere(natsProgram !== null, 'a rotation of the logins needs nats-server on the PATH.')('a rotation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'logins-'))
  const config = join(folder, 'nats.conf')
  const busPassword = newPassword()
  const passwords = new Map<string, string>()
  const fleets: Fleet[] = []
  let database: TestDatabase
  let nats: NatsServer

  beforeAll(async () => {
    database = await createDatabase()
    writeUsers([1])
    nats = await startNatsServer(natsProgram ?? '', 0, ['--config', config])
    for (const schema of schemas) await makeLogin(schema, 1)
  })
  afterAll(async () => {
    for (const fleet of fleets) await fleet.stop()
    await nats.stop()
    for (const login of passwords.keys()) await onServer(database.url, `drop role if exists ${login}`)
    await database.drop()
    rmSync(folder, { recursive: true })
  })

  /** Each user of a service once for each number, with the same permissions. */
  function writeUsers(numbers: number[]): void {
    const text = services.reduce(
      (all, { name }) => all.replace(`$${passwordVariable(name)},`, `${busPassword},`),
      busLogins(namespace),
    )
    const users = /users: \[\n([\s\S]*) {2}\]\n/.exec(text)?.[1] ?? ''
    const copies = numbers.map((number) => users.replaceAll(/user: "([^"]+)"/g, `user: "$1_${number}"`))
    writeFileSync(config, text.replace(users, copies.join('')))
  }

  const busUrl = (service: string, user: number) => `nats://${service}_${user}:${busPassword}@127.0.0.1:${nats.port}`

  /** Resolves when the users of these numbers are known, and no others. */
  async function reloadUsers(numbers: number[]): Promise<void> {
    writeUsers(numbers)
    process.kill(nats.pid, 'SIGHUP') // As `nats-server --signal reload` does.
    for (const user of [1, 2]) await until(async () => (await isKnown(user)) === numbers.includes(user))
  }

  async function isKnown(user: number): Promise<boolean> {
    const connection = await connect(natsServers([busUrl('orders', user)])).catch(() => null)
    await connection?.close()
    return connection !== null
  }

  /** The statements of the guide, for another service. */
  async function makeLogin(schema: string, number: number): Promise<void> {
    const guide = readFileSync(join(import.meta.dirname, '../docs/guides/operators.md'), 'utf8')
    const statements = /```sql\n(create role storefront_orders_2[\s\S]*?)```/.exec(guide)?.[1] ?? ''
    const [login, password] = [loginOf(schema, number), newPassword()]
    passwords.set(login, password)
    const own = statements
      .replaceAll('storefront_orders_2', login)
      .replaceAll('storefront_orders', `storefront_${schema}`)
      .replace('in database storefront ', `in database ${new URL(database.url).pathname.slice(1)} `)
      .replace("'...'", `'${password}'`)
    expect(own).toContain(`create role ${login} login password '${password}'`)
    await onServer(database.url, own)
  }

  async function start({ user, login, ...tokens }: Step): Promise<void> {
    const serversOf = (service: string) => [busUrl(service, user)]
    const fleet = await startFleet({ serversOf, stop: () => nats.stop() }, namespace, (service) => {
      const own = { ...tokens, SECRET_KEY: 'a secret of at least 32 characters.', REQUESTS_PER_MINUTE: '1000000' }
      if (!schemas.includes(service)) return own
      const url = new URL(database.url)
      url.username = loginOf(service, login)
      url.password = passwords.get(url.username) ?? ''
      return { ...own, DATABASE_URL: url.href }
    })
    fleets.push(fleet)
  }

  async function stopOldest(): Promise<void> {
    await fleets.shift()?.stop()
  }

  test('of the back-office token and of the logins on NATS and PostgreSQL fails no request', async () => {
    await start(first)
    let token = before
    let turn = 0
    let rounds = 0
    let isOver = false
    const wrong: string[] = []
    const next = () => fleets[turn++ % fleets.length] ?? fail('no replica runs') // As a balancer.
    const check = (what: string, { status, text }: Answer) => {
      if (status >= 300) wrong.push(`${what}: ${status} ${text.slice(0, 200)}`)
    }
    const office = openBackOffice(next().adminPort, before)
    const { id } = await office.makeShop()
    const headers = { authorization: `Bearer ${(await office.makeKey(id, 'write')).secret}` }
    const items = [{ title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 1_250 } }]
    const order = JSON.stringify({ paymentMethod: 'card', customer: { email: 'ada@example.com' }, items })
    const work = async () => {
      while (!isOver) {
        check('a page', await exchange(next().publicPort, '/api/v1/orders?limit=5', { headers }))
        const bearer = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const place = { method: 'POST', headers: bearer, body: order }
        check('an order', await exchange(next().adminPort, `/admin/v1/shops/${id}/orders`, place))
        rounds += 1
      }
    }
    const workers = Array.from({ length: WORKERS }, work)
    const moreRounds = (from = rounds) => until(() => rounds >= from + ROUNDS + WORKERS)
    await moreRounds()

    await reloadUsers([1, 2])
    for (const schema of schemas) await makeLogin(schema, 2)
    await start(second)
    await moreRounds()
    await stopOldest()
    token = after
    await moreRounds()

    await reloadUsers([2])
    for (const schema of schemas) {
      const login = loginOf(schema, 1)
      passwords.set(login, newPassword())
      await onServer(database.url, `alter role ${login} password '${passwords.get(login)}'`)
    }
    await start(third)
    await moreRounds()
    await stopOldest()
    for (const schema of schemas) await onServer(database.url, `drop role ${loginOf(schema, 2)}`)
    await moreRounds()
    isOver = true
    await Promise.all(workers)
    expect(wrong).toEqual([])
    const old = { headers: { authorization: `Bearer ${before}` } }
    expect((await exchange(next().adminPort, '/admin/v1/me', old)).status).toBe(401)
  }, 240_000)
})

function fail(why: string): never {
  throw new Error(why)
}
