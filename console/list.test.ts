// The parts of a list that need no page: its filters in the address, time in the shop's zone, and one action over many objects.
import { describe, expect, test } from '@jest/globals'
import { actOnMany, type Result } from './src/parts/list/act-on-many.ts'
import { type Filter, readFilters, searchOf, withFilter } from './src/parts/list/filters.ts'
import { asCommand, asCurl, bare } from './src/parts/list/ways.ts'
import { centsOf, moneyLeft, moneyWords } from './src/parts/money.ts'
import { dayStart, instantOfLocal, shopTime, timeWords } from './src/parts/time.ts'

const filters: readonly Filter[] = [
  { kind: 'choice', name: 'status', values: ['new', 'shipped'] },
  { kind: 'email', name: 'email' },
  { kind: 'id', name: 'client_id' },
  { kind: 'time', name: 'created_after' },
]
const now = new Date('2026-11-24T22:30:00.000Z')
const read = (search: string, zone = 'Asia/Tokyo') => readFilters(search, filters, zone, now)

describe('filters', () => {
  test('a day is that of the shop, and stays a day in the address', () => {
    const { query, values } = read('?created_after=yesterday&status=new')
    expect(query).toEqual({ created_after: '2026-11-23T15:00:00.000Z', status: 'new' })
    expect(searchOf(values, null)).toBe('?created_after=yesterday&status=new')
  })

  test.each([
    ['?status=new,mine', 'status'],
    ['?status=', 'status'],
    ['?email=nobody', 'email'],
    ['?client_id=1', 'client_id'],
    ['?created_after=soon', 'created_after'],
    ['?created_after=constructor', 'created_after'],
    ['?created_after=2026-13-41T00:00:00Z', 'created_after'],
    ['?colour=red', 'colour'],
    ['?cursor=', 'cursor'],
  ])('%s is left out', (search, name) => {
    const { query, leftOut, cursor } = read(search)
    expect({ query, leftOut: leftOut.map((one) => one.name), cursor }).toEqual({
      query: {},
      leftOut: [name],
      cursor: null,
    })
  })

  test('a parameter that comes twice counts once', () => {
    expect(read('?status=new&status=shipped')).toMatchObject({
      query: { status: 'new' },
      leftOut: [{ name: 'status', value: 'shipped' }],
    })
  })

  test('a changed filter leads to the first page', () => {
    const { values, cursor } = read('?status=new&cursor=abc')
    expect(cursor).toBe('abc')
    expect(withFilter(values, 'email', 'a+b@example.com')).toBe('?status=new&email=a%2Bb@example.com')
    expect(withFilter(values, 'status', null)).toBe('')
  })
})

describe('time', () => {
  test('a day begins at the clock of the zone, also where the clocks change on it', () => {
    expect(dayStart(new Date('2026-03-29T12:00:00Z'), 'Europe/London', 0).toISOString()).toBe(
      '2026-03-29T00:00:00.000Z',
    )
    expect(dayStart(new Date('2026-03-30T12:00:00Z'), 'Europe/London', 0).toISOString()).toBe(
      '2026-03-29T23:00:00.000Z',
    )
    expect(dayStart(new Date('2026-03-02T12:00:00Z'), 'Europe/London', 30).toISOString()).toBe(
      '2026-01-31T00:00:00.000Z',
    )
  })

  test('a typed clock is that of the shop', () => {
    expect(instantOfLocal('2026-07-01T09:30', 'America/New_York')?.toISOString()).toBe('2026-07-01T13:30:00.000Z')
    expect(instantOfLocal('tomorrow', 'UTC')).toBeNull()
  })

  test('the last and the next hour are in minutes, the rest by the shop’s clock with the year where it is another', () => {
    expect(timeWords('2026-11-24T22:27:00Z', 'UTC', now)).toBe('3 min ago')
    expect(timeWords('2026-11-24T22:31:00Z', 'UTC', now)).toBe('in 1 min')
    expect(timeWords('2026-11-24T22:30:05Z', 'UTC', now)).toBe('in less than a minute')
    expect(timeWords('2026-11-24T23:31:00Z', 'UTC', now)).toBe('24 Nov 23:31')
    expect(shopTime('2026-11-24T20:00:00Z', 'Asia/Tokyo', now)).toBe('25 Nov 05:00')
    expect(shopTime('2010-12-01T08:26:00Z', 'Europe/London', now)).toBe('1 Dec 2010 08:26')
  })
})

test('money has the digits of its currency, and what is left is exact', () => {
  const yen = { cents: 1_200, amount: '1200', currency: 'JPY' }
  const dinar = { cents: 1_234, amount: '1.234', currency: 'KWD' }
  expect(moneyWords(yen)).toMatch(/1,200$/)
  expect(moneyWords(dinar)).toMatch(/1\.234$/)
  expect(moneyLeft(dinar, { ...dinar, cents: 1_229 })).toEqual({ cents: 5, amount: '0.005', currency: 'KWD' })
  expect([centsOf('12.5', yen), centsOf('12', yen), centsOf('1,5', dinar), centsOf('-1', dinar)]).toEqual([
    null,
    12,
    1_500,
    null,
  ])
})

test('what is copied for a shell is one argument, whatever it holds', () => {
  const query = { email: `o'neil $(id)@example.com` }
  expect(asCurl('http://a', { method: 'GET', path: '/x', body: { note: `it's` } }).text).toContain(
    `-d '{"note":"it'\\''s"}'`,
  )
  expect(asCurl('http://a', { method: 'POST', path: '/x', file: `./o'neil.csv` }).text).toContain(
    `--data-binary '@./o'\\''neil.csv'`,
  )
  expect(bare('./$(id).csv')).toBe(`'./$(id).csv'`)
  expect(asCommand('orders list', 'demo', query).text).toBe(
    `storefront orders list --shop demo --email 'o'\\''neil $(id)@example.com'`,
  )
})

describe('one action over many', () => {
  const ids = Array.from({ length: 20 }, (_, index) => String(index))

  test('runs four at a time, and a refusal stops none of the others', async () => {
    let running = 0
    let most = 0
    const results: Result[] = []
    const act = async (id: string) => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      if (id === '7') throw Object.assign(new Error('no'), { code: 'conflict', requestId: 'r7' })
    }
    await actOnMany(ids, act, (result) => results.push(result), new AbortController().signal)
    expect(most).toBe(4)
    expect(results.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    const refused = results.filter(({ outcome }) => outcome === 'refused')
    expect(refused).toEqual([{ id: '7', outcome: 'refused', code: 'conflict', message: 'no', requestId: 'r7' }])
  })

  test('cancelling finishes what has begun and leaves out the rest', async () => {
    const stop = new AbortController()
    const results: Result[] = []
    const report = (result: Result) => {
      results.push(result)
      if (results.length === 5) stop.abort()
    }
    await actOnMany(ids, async () => undefined, report, stop.signal)
    expect(results.length).toBeGreaterThanOrEqual(5)
    expect(results.length).toBeLessThan(10)
  })

  test('a list that cannot be read to its end rejects after what was done', async () => {
    const results: Result[] = []
    async function* broken() {
      yield '1'
      throw new Error('away')
    }
    const run = actOnMany(
      broken(),
      async () => undefined,
      (result) => results.push(result),
      new AbortController().signal,
    )
    await expect(run).rejects.toThrow('away')
    expect(results.map(({ id }) => id)).toEqual(['1'])
  })
})
