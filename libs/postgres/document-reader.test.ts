// Guarantees of document-reader.ts: on the bytes of PostgreSQL's protocol, cut wherever they may be, and on a real PostgreSQL.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Duplex } from 'node:stream'
import pg from 'pg'
import type { BackendMessage } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'
import { createDatabase } from '#testing/database'
import { openDocumentReader, readDocumentsAsBytes } from './document-reader.ts'

type Row = { fields: (string | Buffer | null)[] }

const text = `{"name":"Żółć 漢字 🎉"},`.repeat(600)

describe('the pieces of an answer', () => {
  const int16 = (value: number) => Buffer.from([value >> 8, value & 255])
  const int32 = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32BE(value)
    return bytes
  }
  const message = (kind: string, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts)
    return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body])
  }
  const columns = (...names: string[]) =>
    message('T', int16(names.length), ...names.flatMap((name) => [Buffer.from(`${name}\0`), Buffer.alloc(18)]))
  const row = (...values: (string | null)[]) =>
    message(
      'D',
      int16(values.length),
      ...values.map((value) =>
        value === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]),
      ),
    )
  const wire = Buffer.concat([
    message('2'),
    columns('part', 'documents', 'id'),
    row('0', text, null),
    row('1', '', 'last'),
    row('2', null, 'none'),
    message('C', Buffer.from('SELECT 3\0')),
    message('Z', Buffer.from('I')),
    columns('document'),
    row(text),
    message('C', Buffer.from('SELECT 1\0')),
    message('Z', Buffer.from('I')),
  ])

  const wordsOf = (value: unknown) => (Buffer.isBuffer(value) ? `bytes ${value.toString()}` : value)
  const plain = (one: BackendMessage) => {
    const { fields } = one as unknown as Row
    return { ...one, ...(one.name === 'dataRow' ? { fields: fields.map(wordsOf) } : {}) }
  }
  function hear(pieces: Buffer[]) {
    const heard: ReturnType<typeof plain>[] = []
    const take = openDocumentReader((one) => heard.push(plain(one)))
    for (const piece of pieces) take(Buffer.from(Uint8Array.from(piece).buffer))
    return heard
  }
  const expected = () => {
    const heard: BackendMessage[] = []
    new Parser().parse(wire, (one) => heard.push(one))
    return heard.map((one, place) => {
      const told = plain(one)
      const { fields } = told as unknown as Row
      // Of the first statement only, whose second column is the one.
      if (one.name !== 'dataRow' || place > 5) return told
      return {
        ...told,
        fields: fields.map((field, at) => (at === 1 && field !== null ? `bytes ${String(field)}` : field)),
      }
    })
  }

  test('in one piece give what pg-protocol gives, but the column `documents` as bytes', () => {
    const heard = hear([wire])
    expect(heard).toEqual(expected())
    expect(heard.filter(({ name }) => name === 'dataRow')).toMatchObject([
      { fields: ['0', `bytes ${text}`, null] },
      { fields: ['1', 'bytes ', 'last'] },
      { fields: ['2', null, 'none'] },
      { fields: [text] },
    ])
  })

  test('cut in two anywhere give the same', () => {
    const whole = JSON.stringify(expected())
    for (let cut = 1; cut < wire.length; cut += cut < 300 || cut > wire.length - 300 ? 1 : 509) {
      expect(JSON.stringify(hear([wire.subarray(0, cut), wire.subarray(cut)])) === whole ? null : cut).toBeNull()
    }
  })

  test.each([1, 2, 3, 7, 4_096, 8_192])('that are %i bytes long give the same', (length) => {
    const pieces = Array.from({ length: Math.ceil(wire.length / length) }, (_, n) =>
      wire.subarray(n * length, (n + 1) * length),
    )
    expect(hear(pieces)).toEqual(expected())
  })

  test.each(['HTTP/1.1 400 Bad Request', 'Z\0\0\0\0I', 'Z\0\0\0\u0003I'])(
    'that are none of PostgreSQL are refused: %j',
    (words) => {
      expect(() => hear([Buffer.from(words, 'latin1')])).toThrow('What came is no message of PostgreSQL.')
    },
  )

  test('are given back where they are large', () => {
    const take = openDocumentReader(() => undefined)
    const pieces = [wire.subarray(0, 9_000), wire.subarray(9_000)].map((piece) =>
      Buffer.from(Uint8Array.from(piece).buffer),
    )
    for (const piece of pieces) take(piece)
    expect(pieces.map(({ buffer }) => (buffer as ArrayBuffer).detached)).toEqual([true, true])
  })
})

describe('a client of a real PostgreSQL', () => {
  let client: pg.Client
  let url: string
  let drop: () => Promise<void>
  beforeAll(async () => {
    const database = await createDatabase()
    drop = () => database.drop()
    url = database.url
    const types = { getTypeParser: () => (value: unknown) => value }
    client = new pg.Client({ connectionString: database.url, pipeline: true, types })
    readDocumentsAsBytes(client)
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await drop()
  })

  test('gets documents of any size as their bytes, and all else as text, many statements at once', async () => {
    const lengths = Array.from({ length: 200 }, (_, n) => n * 331)
    const answers = await Promise.all(
      lengths.map((length) =>
        client.query({
          name: 'packed',
          text: `select repeat('é', $1::int) as documents, $1 as length`,
          values: [length],
        }),
      ),
    )
    for (const [n, length] of lengths.entries()) {
      const [{ documents, length: told }] = (answers[n]?.rows ?? []) as [{ documents: Buffer; length: string }]
      expect([told, documents.length, documents.equals(Buffer.alloc(length * 2, 'é'))]).toEqual([
        String(length),
        length * 2,
        true,
      ])
    }
  })

  test('hears of bytes that are none of PostgreSQL, and ends', async () => {
    const other = new pg.Client({ connectionString: url })
    readDocumentsAsBytes(other)
    const told = new Promise((resolve) => other.on('error', resolve))
    await other.connect()
    const answer = other.query('select pg_sleep(30)')
    const { stream } = (other as unknown as { connection: { stream: Duplex } }).connection
    stream.emit('data', Buffer.from('HTTP/1.1 400 Bad Request'))
    await expect(answer).rejects.toThrow('What came is no message of PostgreSQL.')
    expect(await told).toMatchObject({ message: 'What came is no message of PostgreSQL.' })
  })

  test('hears of a failed statement and goes on', async () => {
    const failed = client.query({ name: 'half', text: `select 1 / $1::int as documents`, values: [0] })
    const next = client.query<{ documents: Buffer }>({ name: 'fine', text: `select 'x' as documents` })
    await expect(failed).rejects.toMatchObject({ code: '22012' })
    expect((await next).rows[0]?.documents).toEqual(Buffer.from('x'))
  })
})
