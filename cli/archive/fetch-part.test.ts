// A part of an archive whose connection breaks goes on behind its last whole line (docs/spec/archives.md#api).
import { afterEach, expect, test } from '@jest/globals'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { statusOf } from '../failure.ts'
import { openBackOffice } from '../office/back-office.ts'
import { fetchPart } from './fetch-part.ts'

const rows = ['a', 'b', 'c', 'd', 'e'].map((id) => `${JSON.stringify({ id, note: `row ${id}` })}\n`)
let server: Server
let asked: (string | null)[]
afterEach(() => new Promise((resolve) => server.close(resolve)))

/** A back office whose answers break off after so many characters, one after the other; the last one is whole. */
async function openBroken(lengths: number[]) {
  asked = []
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://office')
    if (!pathname.endsWith('/archive/orders'))
      return void response.writeHead(401, { 'storefront-api': 'back-office' }).end()
    const after = searchParams.get('after')
    asked.push(after)
    const text = rows.filter((_row, index) => after === null || index > 'abcde'.indexOf(after)).join('')
    const length = lengths.shift()
    if (length === undefined) return void response.end(text)
    response.write(text.slice(0, length), () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return openBackOffice(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'a token')
}

async function linesOf(lengths: number[], delaysMs: number[]): Promise<string[]> {
  const office = await openBroken(lengths)
  const lines: string[] = []
  for await (const line of fetchPart(office, '/shops/demo', 'orders', delaysMs)) lines.push(line.toString())
  return lines
}

test('every row comes once, wherever the connection breaks', async () => {
  const [first = ''] = rows
  for (const length of [0, 5, first.length, first.length + 7, 3 * first.length - 1]) {
    expect(await linesOf([length, length], [0, 0])).toEqual(rows)
    const behind = Math.floor(length / first.length)
    expect(asked.slice(0, 2)).toEqual([null, behind === 0 ? null : 'abcde'[behind - 1]])
    await new Promise((resolve) => server.close(resolve))
  }
  expect(await linesOf([], [])).toEqual(rows)
})

test('a connection that keeps breaking ends the command as a back office that cannot be reached', async () => {
  const error = await linesOf([0, 0, 0], [0, 0]).catch((thrown: unknown) => thrown)
  expect(statusOf(error)).toBe(3)
})
