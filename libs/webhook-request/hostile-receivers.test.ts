// Tests requests with the default timeouts against hostile surroundings: every kind of hostile receiver at once, proxy variables,
// names that share an address, arbitrary header values. docs/spec/webhooks.md#attempt, #address-rules, #request
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { childEnv } from '#testing/child-env'
import { watchLateness } from '#testing/lateness'
import { until } from '#testing/until'
import { type RawServer, receiversPerTest, saying } from '#testing/servers/raw-receivers'
import { drip, flood, hang, type Receiver, type Reply, reset } from '#testing/servers/receiver'
import { type AttemptResponse, type HttpOptions, post, requestLimits } from './post.ts'
import { headersOf } from './signature.ts'

const http: HttpOptions = { limits: requestLimits, allowPrivate: true, resolve: async () => ['127.0.0.1'] }
const { listen, serveRaw } = receiversPerTest()

function send(url: string, headers: Record<string, string> = {}, over = http): Promise<AttemptResponse> {
  return post(over, { url, headers, body: Buffer.from('{}'), signal: new AbortController().signal })
}

describe('hostile receivers', () => {
  test('eleven kinds, ten of each at once: all are over within 17 s, memory stays flat, no socket is left', async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000))
    const elsewhere = await listen()
    const replies: Record<string, Reply> = {
      hangs: hang,
      resets: reset,
      drips: drip,
      floods: flood,
      bombs: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      redirects: { status: 308, headers: { location: elsewhere.url } },
    }
    const raw: Record<string, [string, string | null]> = {
      'drips its head': ['HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'],
      'switches protocols': ['HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', null],
      'floods with 103': ['HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(5_000), null],
      'drips 103': ['HTTP/1.1 103 Early Hints\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
      'sends nothing': ['', null],
    }
    const receivers = new Map<string, Receiver>()
    for (const [kind, reply] of Object.entries(replies)) receivers.set(kind, await listen(reply))
    const servers = new Map<string, RawServer>()
    for (const [kind, [first, again]] of Object.entries(raw)) servers.set(kind, await serveRaw(saying(first, again)))

    const before = process.memoryUsage().rss
    let peak = before
    const lateness = watchLateness()
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 50)
    const urls = [...receivers, ...servers].flatMap(([kind, { url }]) => Array.from({ length: 10 }, () => [kind, url]))
    const answers = await Promise.all(urls.map(async ([kind, url]) => ({ kind, ...(await send(url ?? '')) })))
    clearInterval(watch)
    const lateMs = lateness.ms() // The limits of a request are timers.
    lateness.stop()

    const outcomes = new Map(answers.map(({ kind, status, error }) => [kind, `${status} ${error}`]))
    expect(Object.fromEntries(outcomes)).toEqual({
      hangs: 'null timeout',
      resets: 'null reset',
      drips: '200 null',
      floods: '200 null',
      bombs: '200 null',
      redirects: '308 redirect',
      'drips its head': 'null timeout',
      'switches protocols': 'null bad_http',
      'floods with 103': 'null bad_http',
      'drips 103': 'null bad_http',
      'sends nothing': 'null timeout',
    })
    expect(Math.max(...answers.map(({ durationMs }) => durationMs))).toBeLessThan(17_000 + lateMs)
    expect(elsewhere.connections()).toBe(0)
    await until(() => [...receivers.values()].every((receiver) => receiver.open().now === 0))
    await until(() => [...servers.values()].every((server) => server.open() === 0))
    // Receivers and sender share this process, so this is the sum of both ends.
    expect(peak - before).toBeLessThan(200_000_000)
  })
})

describe('the environment', () => {
  // Node 24 applies these variables to its default agents.
  const program = (goal: string) => `
    import { request } from 'node:http'
    import { post, requestLimits } from './libs/webhook-request/post.ts'
    const http = { limits: requestLimits, allowPrivate: true, resolve: async () => ['127.0.0.1'] }
    const sent = { headers: {}, body: Buffer.from('{}'), signal: new AbortController().signal }
    const answer = await post(http, { ...sent, url: '${goal}' })
    const plain = await new Promise((resolve) => request('${goal}plain', (res) => resolve(res.headers.via)).end())
    console.log(JSON.stringify({ status: answer.status, plain: plain ?? null }))`

  test('may name a proxy: webhooks do not go through it', async () => {
    const goal = await listen()
    const proxy = await listen({ headers: { via: 'the proxy' } })
    const at = `http://127.0.0.1:${proxy.port}`
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    const proxies = Object.fromEntries(names.map((name) => [name, at]))
    const child = spawn(process.execPath, ['--input-type=module', '-e', program(goal.url)], {
      env: { ...childEnv, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', ...proxies },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    // The second request uses a default agent, and shows that the variables work.
    expect(JSON.parse(await text(child.stdout))).toEqual({ status: 200, plain: 'the proxy' })
    expect(goal.received.map(({ path }) => path)).toEqual(['/hook'])
    expect(proxy.received).toHaveLength(1)
  })
})

describe('connections', () => {
  test('of one name are never used for another, although both lead to one address', async () => {
    const receiver = await listen()
    const seen: string[] = []
    const over = {
      ...http,
      resolve: async (host: string) => {
        seen.push(host)
        return ['127.0.0.1']
      },
    }
    const names = ['one.example', 'two.example', 'one.example', 'two.example']
    for (const name of names) await send(`http://${name}:${receiver.port}/`, {}, over)
    expect(seen).toEqual(names)
    expect(receiver.connections()).toBe(4)
    expect(receiver.received.map(({ headers }) => headers.host)).toEqual(
      names.map((name) => `${name}:${receiver.port}`),
    )
  })
})

describe('headers', () => {
  test('whatever text stands where a header value is made: it arrives as one header, or nothing is sent', async () => {
    const receiver = await listen()
    const nasty = fc.constantFrom(
      ...['\r', '\n', '\r\n', '\0', ':', ' ', 'x-evil: 1', '\r\n\r\n{}', 'é', '日', '\u2028', '\x7f', 'a'],
    )
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.array(nasty, { maxLength: 8 }).map((all) => all.join('')),
    )
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        const count = receiver.received.length
        const answer = await send(receiver.url, { 'webhook-id': given })
        const [arrived, ...more] = receiver.received.slice(count)
        expect(more).toEqual([])
        if (arrived === undefined) return expect(answer.status).toBeNull()
        expect(Object.keys(arrived.headers).sort()).toEqual(['connection', 'content-length', 'host', 'webhook-id'])
        expect(given).not.toMatch(/[\r\n\0]/)
      }),
      { numRuns: 300 },
    )
    expect(receiver.received.length).toBeGreaterThan(20)
  })

  test('of our own hold visible ASCII only, and the signed id has no full stop', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(),
        fc.integer({ min: 1, max: 99 }),
        (id, body, stampS, attempt) => {
          const message = { id, stampS, body: Buffer.from(body), attempt, reason: 'scheduled' as const }
          const headers = headersOf(message, [Buffer.alloc(32, 1), Buffer.alloc(32, 2)])
          for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]+$/)
          expect(headers['webhook-id']).not.toContain('.')
        },
      ),
    )
  })
})
