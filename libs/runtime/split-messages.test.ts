// Guarantees of split-messages.ts, on the parser of nats.js itself.
import { beforeAll, expect, test } from '@jest/globals'
import { Parser, type ParserEvent } from 'nats/lib/nats-base-client/parser.js'
import { gatherBySize, giveBackPieces } from './split-messages.ts'

beforeAll(gatherBySize)

type Heard = { subject: string; reply: string; text: string; bytes: number }

/** What the parser makes of the pieces; `bytes` is how much memory a message keeps. */
function hear(pieces: Uint8Array[], isDoneAtOnce = false): Heard[] {
  const heard: Heard[] = []
  const textOf = (bytes: Uint8Array = new Uint8Array()) => Buffer.from(bytes).toString()
  const dispatcher = {
    push({ msg, data }: ParserEvent) {
      const bytes = data?.buffer.byteLength ?? 0
      heard.push({ subject: textOf(msg?.subject), reply: textOf(msg?.reply), text: textOf(data), bytes })
    },
  }
  if (isDoneAtOnce) giveBackPieces(dispatcher)
  const parser = new Parser(dispatcher)
  for (const piece of pieces) parser.parse(piece)
  return heard
}

const messages = [
  { subject: 'orders.list', reply: '', text: 'first\r\nwith a line' },
  { subject: 'a', reply: 'inbox.7', text: '' },
  { subject: 'page', reply: 'inbox.8', text: 'ä page '.repeat(40) },
  { subject: 'last', reply: '', text: 'x' },
]
const wire = Buffer.concat(
  messages.map(({ subject, reply, text }) => {
    const head = ['MSG', subject, '1', ...(reply === '' ? [] : [reply]), Buffer.byteLength(text)].join(' ')
    return Buffer.from(`${head}\r\n${text}\r\n`)
  }),
)

test('messages arrive as they were sent, wherever they are cut in two', () => {
  for (let cut = 1; cut < wire.length; cut += 1) {
    const pieces = [Uint8Array.from(wire.subarray(0, cut)), Uint8Array.from(wire.subarray(cut))]
    expect(hear(pieces).map(({ bytes: _bytes, ...heard }) => heard)).toEqual(messages)
  }
})

test('and when they come byte by byte', () => {
  const heard = hear([...wire].map((byte) => Uint8Array.of(byte)))
  expect(heard.map(({ bytes: _bytes, ...one }) => one)).toEqual(messages)
})

test('a page that comes in two pieces keeps as much memory as it is long', () => {
  const page = Buffer.from(`MSG page 1 41000\r\n${'x'.repeat(41_000)}\r\n`)
  const [heard] = hear([Uint8Array.from(page.subarray(0, 30_000)), Uint8Array.from(page.subarray(30_000))])
  expect(heard?.bytes).toBe(41_000)
})

test('pieces are given back where the hearer agrees to it, and nowhere else; each message is heard before', () => {
  const page = Buffer.from(`MSG page 1 41000\r\n${'x'.repeat(41_000)}\r\n`)
  const cut = 30_000
  for (const isDoneAtOnce of [true, false]) {
    const pieces = [Buffer.concat([wire, page.subarray(0, cut)]), page.subarray(cut)].map((piece) =>
      Uint8Array.from(piece),
    )
    const heard = hear(pieces, isDoneAtOnce)
    expect(heard.map(({ bytes: _bytes, ...one }) => one)).toEqual([
      ...messages,
      { subject: 'page', reply: '', text: 'x'.repeat(41_000) },
    ])
    expect(pieces.map(({ buffer }) => buffer.detached)).toEqual([isDoneAtOnce, isDoneAtOnce])
  }
})
