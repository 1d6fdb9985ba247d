// What the transporter sends, on real NATS: the messages of a turn of the event loop go to NATS in one write
// (docs/spec/internals.md#broker-settings).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Context, ServiceBroker } from 'moleculer'
import { connect } from 'nats'
import { findNatsServer, type NatsServer, startNatsServer } from '#local-servers/nats-server'
import { until } from '#testing/until'
import { describeWhere } from '#testing/where-possible'
import { createBroker } from './broker.ts'

const program = findNatsServer(process.env.PATH ?? '')
const nobody = () => undefined
const listener = { connected: nobody, disconnected: nobody, failed: nobody, refused: nobody, cutOff: nobody }

describeWhere(program !== null, 'a bus of its own needs nats-server on the PATH.')('a node on NATS', () => {
  let nats: NatsServer
  let hearing: ServiceBroker
  let heard: number[] = []
  const node = (nodeId: string) =>
    createBroker({ nodeId, namespace: 'test', servers: [nats.url], listener, middlewares: [] })

  beforeAll(async () => {
    nats = await startNatsServer(program ?? '')
    hearing = node('hearing')
    hearing.createService({
      name: 'hearing',
      actions: { receive: (ctx: Context<{ text: string }>) => ctx.params.text.length },
      events: { told: (ctx: Context<{ number: number }>) => void heard.push(ctx.params.number) },
    })
    await hearing.start()
  })
  afterAll(async () => {
    await hearing.stop()
    await nats.stop()
  })

  test('that stops has sent all earlier messages', async () => {
    const telling = node('telling')
    await telling.start()
    await telling.waitForServices('hearing', 10_000, 20)
    for (let number = 0; number < 50; number += 1) void telling.broadcast('told', { number })
    await telling.stop()
    await until(() => heard.length === 50)
    expect(heard).toEqual(Array.from({ length: 50 }, (_, number) => number))
    heard = []
  })

  test('sends small and large messages, and a message that is larger than NATS takes fails its call alone', async () => {
    const telling = node('telling')
    await telling.start()
    await telling.waitForServices('hearing', 10_000, 20)
    const call = (length: number) => telling.call('hearing.receive', { text: 'x'.repeat(length) }, { timeout: 60_000 })
    const sizes = [1, 100, 70_000, 2, 900_000, 3]
    const all = await Promise.allSettled([...sizes, 2_000_000].map(call))
    expect(all.slice(0, -1)).toEqual(sizes.map((value) => ({ status: 'fulfilled', value })))
    expect(all.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'MAX_PAYLOAD_EXCEEDED' } })
    await telling.stop()
  })
})

describeWhere(program !== null, 'a bus of its own needs nats-server on the PATH.')(
  'a connection that NATS ends',
  () => {
    let nats: NatsServer
    const folder = mkdtempSync(join(tmpdir(), 'nats-conf-'))
    const config = join(folder, 'nats.conf')
    const flags = ['--config', config]
    const told: string[] = []
    const note = (what: string) => () => void told.push(what)

    beforeAll(async () => {
      // Little may wait for a reader.
      writeFileSync(config, 'max_payload: 65536\nmax_pending: 65536\n')
      nats = await startNatsServer(program ?? '', 0, flags)
    })
    afterAll(async () => {
      await nats.stop()
      rmSync(folder, { recursive: true })
    })

    test('is told as that of a slow consumer where the server goes on, and not where it was restarted', async () => {
      const own = { ...listener, connected: note('connected'), disconnected: note('away'), cutOff: note('cut off') }
      const slow = createBroker({
        nodeId: 'slow',
        namespace: 'slow',
        servers: [nats.url],
        listener: own,
        middlewares: [],
      })
      await slow.start()
      const client = await connect({ servers: nats.url })
      // This process does not read while it writes.
      for (let count = 0; count < 600; count += 1) client.publish('MOL-slow.DISCOVER', new Uint8Array(60_000))
      await client.close()
      await until(() => told.includes('cut off'))
      expect(told.slice(0, 4)).toEqual(['connected', 'away', 'connected', 'cut off'])
      await until(() => told.at(-1) === 'cut off')

      await nats.kill()
      await until(() => told.at(-1) === 'away')
      const before = told.length
      nats = await startNatsServer(program ?? '', nats.port, flags)
      await until(() => told.length > before)
      await slow.stop()
      expect(told.slice(before)).not.toContain('cut off')
    })
  },
)
