// Guarantees of respond.ts about the memory of an answer, over real connections.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connect, type Socket } from 'node:net'
import Koa from 'koa'
import { exchange } from '#testing/http'
import { until } from '#testing/event-schema'
import type { Gateway, GatewayContext } from './exchange.ts'
import { type HttpServer, openHttpServer } from './server.ts'
import { answer, answerOnce } from './respond.ts'

const BYTES = 8_000_000 // More than a connection takes at once.

let server: HttpServer
let port: number
let pages: Buffer[] = []

beforeAll(async () => {
  const app: Gateway = new Koa()
  app.use((ctx: GatewayContext) => {
    const page = Buffer.from(new ArrayBuffer(BYTES)).fill('ä page ')
    pages.push(page)
    if (ctx.path === '/once') answerOnce(ctx, page)
    else answer(ctx, page)
  })
  const handler = app.callback()
  server = openHttpServer((request, response) => void handler(request, response))
  port = await server.listen(0)
})
afterAll(() => server.stop())

const isGivenBack = (page: Buffer | undefined) => (page?.buffer as ArrayBuffer | undefined)?.detached

test('bytes that nobody else has arrive whole and are given back then; others stay', async () => {
  pages = []
  const whole = Buffer.alloc(BYTES, 'ä page ').toString()
  for (const path of ['/once', '/again']) {
    const { text } = await exchange(port, path)
    expect(text === whole).toBe(true)
  }
  await until(() => isGivenBack(pages[0]) === true)
  expect(pages.map(isGivenBack)).toEqual([true, false])
})

test('who reads late gets every byte', async () => {
  pages = []
  const socket: Socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.write('GET /once HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await until(() => pages.length === 1)
  expect(isGivenBack(pages[0])).toBe(false)
  const pieces: Buffer[] = []
  for await (const piece of socket) pieces.push(piece as Buffer)
  const got = Buffer.concat(pieces)
  expect(got.subarray(got.indexOf('\r\n\r\n') + 4).equals(Buffer.alloc(BYTES, 'ä page '))).toBe(true)
  await until(() => isGivenBack(pages[0]) === true)
})
