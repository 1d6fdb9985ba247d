// What the command line makes of answers that no back office returns: words, and exit status 3 (docs/spec/command-line.md).
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { statusOf } from '../failure.ts'
import { openBackOffice } from './back-office.ts'

let server: Server
let body: string
let length: number
let status: number
beforeEach(async () => {
  status = 200
  server = createServer((_request, response) => {
    response.writeHead(status, { 'storefront-api': 'back-office', 'content-length': length })
    response.write(body, () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

async function failure(text: string, announced: number = text.length) {
  ;[body, length] = [text, announced]
  const { port } = server.address() as AddressInfo
  const office = openBackOffice(`http://127.0.0.1:${port}`, 'a token')
  const error = await office.call('GET', '/me').catch((thrown: unknown) => thrown as Error)
  return [(error as Error).message, statusOf(error)]
}

test.each(['hello', 'null', '[]', '{}', '{"data":null}'])(
  'an answer of 200 with %j is of something in between',
  async (text) => {
    expect(await failure(text)).toEqual(['A server in front of the back office answered 200.', 3])
  },
)

test('control characters of a refusal do not reach the terminal', async () => {
  status = 400
  const error = { code: 'invalid_request', message: 'Not \u001b[2J\nthis.' }
  expect(await failure(JSON.stringify({ error }))).toEqual(['Not  [2J this. (invalid_request)', 1])
})

test('an answer that breaks off is a back office that cannot be reached', async () => {
  expect(await failure('{"data":{', 100)).toEqual([
    expect.stringMatching(/^The back office at \S+ cannot be reached: the connection broke off\. Is it running\?$/),
    3,
  ])
})
