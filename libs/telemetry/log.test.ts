// What a log line may hold: fields of an allow-list, and no value inside an error (docs/spec/security.md#logs).
import { readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { createDatabase } from '#testing/database'
import { loggedFields, openLog } from './log.ts'

const secret = 'ada.planted@example.com'

/** The one line that comes of it. */
function lineOf(fields: object): { [field: string]: unknown; text: string } {
  const lines: string[] = []
  openLog('info', 'test', { write: (line) => lines.push(line) }).info(fields, 'words')
  return { ...(JSON.parse(lines.join('')) as object), text: lines.join('') }
}

describe('a line', () => {
  test('has only fields of the allow-list', () => {
    const line = lineOf({ request_id: 'r', status: 200, email: secret, body: { name: secret }, authorization: secret })
    expect(line).toMatchObject({ name: 'test', msg: 'words', request_id: 'r', status: 200 })
    expect(Object.keys(line).sort()).toEqual(['level', 'msg', 'name', 'request_id', 'status', 'text', 'time'])
    expect(line.text).not.toContain(secret)
  })

  test('may have every field that the code logs, so that none is dropped by mistake', () => {
    const root = join(import.meta.dirname, '../..')
    const listed = execFileSync('git', ['ls-files', 'services/*.ts', 'libs/*.ts', 'deploy/*.ts'], { cwd: root })
    const unknown: string[] = []
    for (const path of listed
      .toString()
      .trim()
      .split('\n')
      .filter((name) => !name.endsWith('.test.ts'))) {
      const text = readFileSync(join(root, path), 'utf8')
      for (const [, fields = ''] of text.matchAll(/\blog\.(?:info|warn|error|fatal|debug)\(\s*\{([^}]*)\}/g)) {
        const names = [...fields.matchAll(/(?:^|,)\s*(\w+)/g)].map(([, name = '']) => name)
        unknown.push(...names.filter((name) => !loggedFields.has(name)).map((name) => `${path}: ${name}`))
      }
    }
    expect(unknown).toEqual([])
  })
})

describe('an error in a line', () => {
  test('keeps name, message, code and stack', () => {
    const error = Object.assign(new TypeError('It broke.'), { code: 'EBROKEN', detail: secret, parameters: [secret] })
    const line = lineOf({ error })
    expect(line.error).toEqual({ name: 'TypeError', message: 'It broke.', code: 'EBROKEN', stack: error.stack })
    expect(line.text).not.toContain(secret)
  })

  test.each([
    ['text that is not a number', 'select $1::text::integer', '22P02'],
    ['text that is not a UUID', 'select $1::text::uuid', '22P02'],
    ['a text that is no time', 'select $1::text::timestamptz', '22007'],
    ['invalid JSON', 'select $1::text::json', '22P02'],
    ['a row that is there already', 'insert into person values ($1), ($1)', '23505'],
    ['a row that must not be', 'insert into person values ($1 || $1)', '23514'],
  ])('of the database never shows the value: %s', async (_name, statement, code) => {
    const database = await createDatabase()
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      await client.query('create table person (email text primary key check (length(email) < 40))')
      const error: unknown = await client.query(statement, [secret]).catch((thrown: unknown) => thrown)
      const line = lineOf({ error })
      expect(line.error).toMatchObject({ code, message: expect.stringMatching(/\w/) })
      expect(line.text).not.toContain('planted')
    } finally {
      await client.end()
      await database.drop()
    }
  })

  test('of the JSON parser never shows the input', () => {
    try {
      JSON.parse(`{"email": ${secret}}`)
    } catch (error) {
      const line = lineOf({ error })
      expect(line.error).toMatchObject({ name: 'SyntaxError' })
      expect(line.text).not.toContain('planted')
    }
    expect.assertions(2)
  })

  test('that is not an Error is not shown', () => {
    expect(lineOf({ error: secret }).text).not.toContain(secret)
    expect(lineOf({ error: { email: secret } }).text).not.toContain(secret)
  })
})

describe('a failure that repeats', () => {
  const failure = (text: string) => Object.assign(new Error(text), { code: 'EAWAY' })
  type Line = { msg: string; count?: number; error: { stack?: string } }

  const afterAMinute = () => jest.advanceTimersByTime(60_000)
  beforeAll(() => void jest.useFakeTimers())
  afterAll(() => void jest.useRealTimers())

  function open() {
    const lines: Line[] = []
    return { lines, log: openLog('info', 'test', { write: (line) => void lines.push(JSON.parse(line) as Line) }) }
  }

  test('is logged once with its stack, then with a count and without a stack', () => {
    const { lines, log } = open()
    const child = log.child({ service: 'orders' })
    for (let time = 1; time <= 50; time += 1) child.error({ error: failure(`port ${time} is closed`) }, 'action failed')
    expect(lines).toMatchObject([{ msg: 'action failed', error: { stack: expect.stringContaining('log.test.ts') } }])
    afterAMinute()
    expect(lines[1]).toMatchObject({ msg: 'action failed (repeated)', count: 49, service: 'orders' })
    expect(lines[1]?.error).toEqual({ name: 'Error', message: 'port 1 is closed', code: 'EAWAY' })
  })

  test('is logged as new when none came for a minute', () => {
    const { lines, log } = open()
    for (let time = 0; time < 2; time += 1) {
      log.error({ error: failure('closed') }, 'action failed')
      afterAMinute()
    }
    expect(lines.map(({ error }) => typeof error.stack)).toEqual(['string', 'string'])
  })

  test('of another action, message or code is another failure', () => {
    const { lines, log } = open()
    log.error({ error: failure('closed'), action: 'orders.list' }, 'action failed')
    log.error({ error: failure('closed'), action: 'orders.get' }, 'action failed')
    log.error({ error: failure('closed') }, 'request failed')
    log.error({ error: new Error('closed') }, 'request failed')
    expect(lines).toHaveLength(4)
  })

  test('is said each time where it ends the process, and so is a line without an error', () => {
    const { lines, log } = open()
    for (let time = 0; time < 3; time += 1) {
      log.fatal({ error: failure('closed') }, 'cannot go on')
      log.info({ status: 500 }, 'request')
    }
    expect(lines).toHaveLength(6)
  })
})
