// Clients that hold connections and send nothing, or slowly, do not keep others from being served, and are closed by the published limits
// (docs/spec/security.md#node-http).
import { execFileSync, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, test } from '@jest/globals'
import { exchange } from '#testing/product/http'
import { readBytes } from '#http/body'
import { type HttpServer, openHttpServer } from '#http/server'

let server: HttpServer
afterEach(() => server.stop())

const WANTED = 10_000
// Both ends of a connection need a descriptor, but each end has a process of its own.
const allowed = Number(execFileSync('sh', ['-c', 'ulimit -n']).toString()) || WANTED
const crowd = Math.min(WANTED, allowed - 1_000)
if (crowd < WANTED)
  process.stderr.write(`\n*** ulimit -n is ${allowed}: the crowd is ${crowd} instead of ${WANTED}. ***\n\n`)

// Opens connections, a third each: silent, in the middle of the headers, in the middle of the body.
const program = (port: number) => `
  import { connect } from 'node:net'
  const heads = ['', 'GET / HTTP/1.1\\r\\nhost: a\\r\\nx-slow: ', 'POST / HTTP/1.1\\r\\nhost: a\\r\\ncontent-length: 9\\r\\n\\r\\n{']
  let open = 0
  let closed = 0
  let failed = 0
  const more = (index) => {
    if (index >= ${crowd}) return
    const socket = connect(${port}, '127.0.0.1')
    socket.on('error', () => { failed += 1 })
    socket.once('connect', () => {
      socket.write(heads[index % 3])
      open += 1
      if (open === ${crowd}) console.log('open')
      more(index + 100)
    })
    socket.resume()
    socket.once('close', () => {
      closed += 1
      if (closed === ${crowd}) console.log('closed ' + failed)
    })
  }
  for (let index = 0; index < 100; index += 1) more(index)`

async function serve(limits: Parameters<typeof openHttpServer>[1] = {}): Promise<number> {
  server = openHttpServer((request, response) => {
    readBytes({ req: request, res: response }).then(
      () => response.end('fine'),
      () => response.end(),
    )
  }, limits)
  return server.listen(0, '127.0.0.1')
}

describe('a crowd', () => {
  test(`of ${crowd} silent and dripping clients: others are served while it is there, and all of it is sent away`, async () => {
    const port = await serve({ requestTimeout: 12_000 })
    const child = spawn(process.execPath, ['--input-type=module', '-e', program(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const before = process.memoryUsage().rss
    expect((await lines.next()).value).toBe('open')
    let isThere = true
    const closed = lines.next().finally(() => (isThere = false))
    for (let turn = 0; turn < 200; turn += 1) {
      expect(await exchange(port, '/')).toMatchObject({ status: 200, text: 'fine' })
    }
    expect(isThere).toBe(true)
    expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000)
    expect((await closed).value).toMatch(/^closed \d+$/)
  })

  test('a connection above the limit is closed, and open connections are still served', async () => {
    const port = await serve({ connectionsMax: 3 })
    const sockets = await Promise.all(
      [1, 2, 3].map(async () => {
        const socket = connect(port, '127.0.0.1')
        await new Promise((resolve) => socket.once('connect', resolve))
        return socket
      }),
    )
    await expect(exchange(port, '/')).rejects.toThrow(/ECONNRESET|socket hang up/)
    const [first] = sockets
    first?.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    const heard = await new Promise((resolve) => first?.once('data', (chunk: Buffer) => resolve(chunk.toString())))
    expect(heard).toMatch(/^HTTP\/1\.1 200 OK/)
    for (const socket of sockets) socket.destroy()
  })

  test('the last response of a connection says close', async () => {
    const port = await serve({ requestsPerConnectionMax: 2 })
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()))
    const ended = new Promise((resolve) => socket.once('close', resolve))
    for (let turn = 1; turn <= 2; turn += 1) {
      socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
      while (heard.split('fine').length <= turn) await new Promise((resolve) => setImmediate(resolve))
    }
    await ended
    expect(heard.match(/connection: (\S+)/gi)).toEqual(['Connection: keep-alive', 'connection: close'])
  })
})
