// What a login on NATS may do, and whose calls a service takes, on a real server (docs/spec/internals.md#bus-logins).
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connect, type NatsConnection } from 'nats'
import type { ServiceBroker } from 'moleculer'
import type { CallMeta } from '#contracts/caller'
import { openClaims } from '#runtime/claims'
import { createBroker } from '#runtime/broker'
import { findNatsServer } from '#local-servers/nats-server'
import { natsServers } from '#runtime/nats-transporter'
import { makeCaller } from '#testing/product/one-service'
import { openStack, type Stack } from '#testing/product/stack'
import { until } from '#testing/until'
import { describeWhere } from '#testing/where-possible'

const hasOwnServer = findNatsServer(process.env.PATH ?? '') !== null && !process.env.NATS_URL

describeWhere(hasOwnServer, 'a bus with logins needs nats-server on the PATH.')('the bus', () => {
  let stack: Stack
  let shop: string
  const open: { close(): Promise<unknown> }[] = []
  beforeAll(async () => {
    stack = await openStack({ form: 'distributed' })
    shop = (await stack.makeShop()).id
  })
  afterAll(async () => {
    for (const one of open) await one.close()
    await stack.stop()
  })

  const busOf = () => {
    if (stack.bus === null) throw new Error('There is no bus.')
    return stack.bus
  }

  /** A client with the login of a service, and what NATS refuses to it. */
  async function clientOf(service: string): Promise<{ nats: NatsConnection; refused: string[] }> {
    const nats = await connect(natsServers(busOf().serversOf(service)))
    open.push(nats)
    const refused: string[] = []
    void (async () => {
      for await (const { permissionContext: about } of nats.status()) {
        if (about !== undefined) refused.push(`${about.operation} ${about.subject}`)
      }
    })()
    return { nats, refused }
  }

  /** Moleculer with the login of a service, as an intruder would use it. */
  async function brokerOf(service: string): Promise<ServiceBroker> {
    const listener = { connected() {}, disconnected() {}, failed() {}, refused() {}, cutOff() {} }
    const broker = createBroker({
      nodeId: `${service}.intruder-${randomUUID()}`,
      namespace: busOf().namespace,
      servers: busOf().serversOf(service),
      listener,
      middlewares: [],
    })
    await broker.start()
    open.push({ close: () => broker.stop() })
    return broker
  }

  test('refuses a client without a login', async () => {
    await expect(connect({ ...natsServers(busOf().serversOf('nobody')), reconnect: false })).rejects.toThrow(
      /Authorization Violation/,
    )
  })

  test('lets the login of one service neither publish nor subscribe to subjects that its contract does not list', async () => {
    const { nats, refused } = await clientOf('mcp-gateway')
    const subject = (name: string) => `MOL-${busOf().namespace}.${name}`
    const [{ nodeId } = { nodeId: '' }] = stack.running('orders')
    const sent = [
      'REQB.orders.place',
      'REQB.keys.create',
      'REQB.operators.create',
      'EVENT.webhooks.x',
      'RES.admin-gateway.x',
    ]
    sent.push(`REQ.${nodeId}`, 'REQB.lease-of-admission-rest-gateway.x')
    for (const name of sent) nats.publish(subject(name), '{}')
    const heard = ['REQB.orders.list', 'RES.rest-gateway.*', 'RES.>', 'EVENT.rest-gateway.*', 'REQB.auth.admit']
    for (const name of heard) nats.subscribe(subject(name), { callback: () => undefined })
    nats.subscribe('>', { callback: () => undefined })
    await until(() => refused.length === sent.length + heard.length + 1)
    expect(refused.toSorted()).toEqual(
      [
        ...sent.map((name) => `publish ${subject(name)}`),
        ...[...heard.map(subject), '>'].map((name) => `subscription ${name}`),
      ].toSorted(),
    )
  })

  test('a call outside the list of a login never arrives', async () => {
    const broker = await brokerOf('mcp-gateway')
    await broker.waitForServices('auth')
    const meta: CallMeta = {}
    const call = broker.call('keys.list', {}, { meta, timeout: 500 })
    await expect(call).rejects.toMatchObject({ name: 'RequestTimeoutError' })
    expect(stack.logged()).not.toContain('"action":"keys.list"')
  })

  test('a service refuses a caller that is made up, or signed more than a minute ago, from a login that may call it', async () => {
    const broker = await brokerOf('admin-gateway')
    await broker.waitForServices('orders')
    const caller = makeCaller({ shopId: shop })
    const secrets = { secretKey: 'a secret of at least 32 characters.', secretKeyPrevious: null }
    const another = { ...secrets, secretKey: 'another secret of 32 characters ...' }
    const list = (meta: object) => broker.call('orders.list', {}, { meta, timeout: 3_000 })
    const tried = [{}, { caller }, { caller, operator: { role: 'owner' } }]
    const claims = [openClaims(another), openClaims(secrets, () => Date.now() - 60_001)].map((one) =>
      one.sign({ caller }),
    )
    for (const meta of [...tried, ...claims.map((claim) => ({ claim }))]) {
      await expect(list(meta)).rejects.toMatchObject({
        type: 'server_error',
        message: expect.stringMatching(/^This call has no caller/),
      })
    }
    expect(await list({ claim: openClaims(secrets).sign({ caller }) })).toMatchObject({ body: expect.any(Uint8Array) })
  })

  test('every service may do all that it needs: no subject was refused to one', async () => {
    const { secret: key } = await stack.makeKey(shop)
    for (const path of ['orders', 'products', 'contacts', 'shop']) {
      expect((await stack.get(`/api/v1/${path}`, { key })).status).toBe(200)
    }
    expect(stack.logged()).not.toContain('NATS refuses')
  })
})
