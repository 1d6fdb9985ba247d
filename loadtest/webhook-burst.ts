// Owns what stands beside the story of a webhook burst: shops with endpoints, the receiver that they name, and the verdict on
// what came: every event of these shops once at each endpoint, byte for byte, signed, in the order of each object.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { openReceiver, type Received } from '#testing/receiver'
import { judge, type Happened } from '#testing/webhooks-service'
import type { Stage } from './stage.ts'

/** `settings` lead the story to its shops and to the verdict. */
export type Burst = { settings: Record<string, string>; stop(): Promise<void> }
type Endpoint = { shopId: string; path: string; secret: string }
type Verdict = { expected: number; missing: number; wrong: number; repeats: number; lastS: number }

const SHOPS = 4
const ENDPOINTS = 2

/** Makes the shops and listens. */
export async function openBurst({ admin, shop: makeShop, databaseUrl }: Stage): Promise<Burst> {
  const receiver = await openReceiver()
  const endpoints: Endpoint[] = []
  const shops: string[] = []
  for (let number = 0; number < SHOPS; number += 1) {
    const shop = await makeShop(`burst-${number}`, 0)
    shops.push(`${shop.handle}:${shop.productId}`)
    for (let index = 0; index < ENDPOINTS; index += 1) {
      const path = `/hook/${number}/${index}`
      const url = receiver.url.replace('/hook', path)
      const { status, data } = await admin('POST', `/shops/${shop.handle}/webhook-endpoints`, { url })
      if (status !== 201) throw new Error(`An endpoint was answered with ${status}.`)
      endpoints.push({ shopId: shop.id, path, secret: String(data.secret) })
    }
  }
  const database = new pg.Client({ connectionString: databaseUrl })
  await database.connect()
  const verdicts = createServer((_request, response) => {
    verdictOn(database, endpoints, receiver.received).then(
      (verdict) => response.end(JSON.stringify(verdict)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => verdicts.listen(0, '127.0.0.1', resolve))
  return {
    settings: {
      BURST_SHOPS: shops.join(','),
      VERDICT_URL: `http://127.0.0.1:${(verdicts.address() as AddressInfo).port}`,
    },
    async stop() {
      verdicts.close()
      await database.end()
      await receiver.close()
    },
  }
}

async function verdictOn(database: pg.Client, endpoints: Endpoint[], received: Received[]): Promise<Verdict> {
  // What orders knows, not what webhooks does: an event that was never handed over is missing too.
  const { rows } = await database.query(
    'select id, shop_id, object_id, sequence::int as sequence, type, body from orders.events where shop_id = any($1)',
    [endpoints.map(({ shopId }) => shopId)],
  )
  const verdict: Verdict = { expected: 0, missing: 0, wrong: 0, repeats: 0, lastS: 0 }
  for (const { shopId, path, secret } of endpoints) {
    const expected = (rows as Happened[]).filter((event) => event.shop_id === shopId)
    const own = received.filter((one) => one.path === path)
    const { lost, repeats, disordered, changed } = judge(expected, own)
    const unknown = own.filter(({ headers }) => !expected.some(({ id }) => id === headers['webhook-id']))
    const unsigned = own.filter((one) => !isSigned(one, secret))
    verdict.expected += expected.length
    verdict.missing += lost.length
    verdict.wrong += disordered.length + changed.length + unknown.length + unsigned.length
    verdict.repeats += repeats
  }
  const last = Math.max(0, ...received.map(({ at }) => at))
  const first = Math.min(last, ...received.map(({ at }) => at))
  return { ...verdict, lastS: (last - first) / 1_000 }
}

function isSigned({ body, headers }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}
