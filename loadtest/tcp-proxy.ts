// A TCP proxy with faults: it stands between some processes and NATS or PostgreSQL, and passes bytes, delays them, swallows
// them, or refuses connections. A swallowed byte leaves a hole, so such a connection never passes again: it is reset when
// the proxy is healed.
import { setMaxListeners } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type TcpProxy = {
  /** The URL of the server, by way of the proxy. */
  url: string
  /** Delays for so long what clients send from now on; 0 ends that. What was held until now is sent at once. */
  delay(ms: number): void
  /** From now on nothing arrives in either direction, and neither side gets a reset. */
  silence(): void
  /** Resets all connections, and new ones at once. */
  refuse(): void
  /** Passes again. */
  heal(): void
  close(): Promise<void>
}
/** `sent` resolves when all that the client has sent so far was passed on. */
type Pair = { client: Socket; target: Socket | null; sent: Promise<unknown>; isTorn: boolean }

/** Listens on the loopback and passes to the server of this URL, which is on the loopback too. */
export async function openTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const url = new URL(targetUrl)
  const targetPort = Number(url.port)
  let state: 'passing' | 'silent' | 'refusing' = 'passing'
  let delayMs = 0
  let delay = new AbortController()
  const pairs = new Set<Pair>()

  const server = createServer({ noDelay: true }, (client) => {
    client.on('error', () => undefined) // Its close says the same.
    if (state === 'refusing') return void client.resetAndDestroy()
    const pair: Pair = { client, target: null, sent: Promise.resolve(), isTorn: state === 'silent' }
    pairs.add(pair)
    if (!pair.isTorn) join(pair)
    client.on('data', (chunk: Buffer) => {
      if (isSwallowed(pair)) return
      const held =
        delayMs === 0 ? undefined : sleep(delayMs, undefined, { signal: delay.signal }).catch(() => undefined)
      pair.sent = pair.sent.then(() => held).then(() => isSwallowed(pair) || pair.target?.write(chunk))
    })
    client.once('close', () => {
      if (state !== 'silent') end(pair)
    })
  })

  function join(pair: Pair): void {
    const { client } = pair
    const target = connect({ port: targetPort, host: '127.0.0.1', noDelay: true })
    pair.target = target
    const pass = (work: () => void) => {
      if (!isSwallowed(pair)) work()
    }
    target.on('error', () => client.resetAndDestroy())
    target.on('data', (chunk: Buffer) => pass(() => client.write(chunk)))
    target.once('end', () => pass(() => client.end()))
    client.once('end', () => pass(() => target.end()))
    target.once('close', () => {
      if (state !== 'silent') client.end()
    })
  }

  function isSwallowed(pair: Pair): boolean {
    pair.isTorn ||= state === 'silent'
    return pair.isTorn
  }

  function end(pair: Pair): void {
    pairs.delete(pair)
    pair.client.resetAndDestroy()
    pair.target?.destroy()
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    delay(ms) {
      delayMs = ms
      delay.abort()
      delay = new AbortController()
      setMaxListeners(0, delay.signal)
    },
    silence: () => void (state = 'silent'),
    refuse() {
      state = 'refusing'
      for (const pair of pairs) end(pair)
    },
    heal() {
      state = 'passing'
      for (const pair of pairs) if (pair.isTorn || pair.client.destroyed) end(pair)
    },
    close() {
      for (const pair of pairs) end(pair)
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
