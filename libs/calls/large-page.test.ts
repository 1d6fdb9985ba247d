// Whose part of a large page is read next, with a service that the test answers for.
import { expect, test } from '@jest/globals'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Caller, CallMeta } from '#contracts/caller'
import type { PagePart, WholePage } from '#contracts/page-result'
import type { Call } from '#runtime/service'
import { until } from '#testing/until'
import { LargePage, wholePages } from './large-page.ts'

const callerOf = (shopId: string) => ({ shopId }) as Caller
const whole = (body: string): WholePage => ({ body: Buffer.from(body), is_final: true })
const part = (row: string): PagePart => ({ documents: Buffer.from(`"${row}"`), rows: 1, next_cursor: row })

/** Pages of shops; `answer` answers the part that was asked for longest. */
function service() {
  const asked: { shop: string; limit: number; answer(response: unknown): void }[] = []
  const call = ((_name: string, { limit }: { limit: number }, { caller, is_part }: CallMeta) => {
    if (is_part !== true) return { documents: Buffer.alloc(0), rows: 0, next_cursor: null } satisfies PagePart
    return new Promise((answer) => asked.push({ shop: caller?.shopId ?? '', limit, answer }))
  }) as unknown as Call
  const read = wholePages(call)
  const begin = async (shop: string) => {
    const page = await read('orders.list', { limit: 3 }, { caller: callerOf(shop) })
    const bytes: string[] = []
    const sent = (async () => {
      for await (const piece of (page as LargePage).parts()) bytes.push(String(piece))
      return bytes.join('')
    })()
    await nextTurn()
    return { sent }
  }
  /** Answers once a part is asked for; a shop waits between its parts. */
  const answer = async (response: unknown) => {
    await until(() => asked.length > 0)
    asked.shift()?.answer(response)
    await nextTurn()
  }
  return { asked, begin, answer }
}

test('parts of one shop are read one at a time, of the oldest page first; another shop does not wait', async () => {
  const { asked, begin, answer } = service()
  const [one] = [await begin('a'), await begin('a'), await begin('a'), await begin('b')]
  expect(asked.map(({ shop }) => shop)).toEqual(['a', 'b'])
  asked.reverse()
  await answer(whole('{"data":[],"has_more":false,"next_cursor":null}'))
  for (const row of ['1', '2']) await answer(part(row))
  await until(() => asked.length > 0)
  expect(asked).toMatchObject([{ shop: 'a', limit: 1 }]) // Two of three rows of the first page are there.
  await answer(whole('{"data":["3"],"has_more":true,"next_cursor":"c"}'))
  expect(await one?.sent).toBe('{"data":["1","2","3"],"has_more":true,"next_cursor":"c"}')
  expect(asked).toMatchObject([{ shop: 'a', limit: 3 }])
})

test('a part that fails ends the page and lets the next page go on', async () => {
  const { asked, begin, answer } = service()
  const [one, two] = [await begin('a'), await begin('a')]
  await answer(Promise.reject(new Error('No answer.')))
  await expect(one?.sent).rejects.toThrow('No answer.')
  await answer(whole('{"data":[],"has_more":false,"next_cursor":null}'))
  expect(await two?.sent).toBe('{"data":[],"has_more":false,"next_cursor":null}')
  expect(asked).toEqual([])
})

test('between two parts other shops have as much time as the first of them took', async () => {
  const { asked, begin, answer } = service()
  await begin('a')
  const askedAt = performance.now()
  await sleep(30) // How long the part takes at least.
  const answeredAt = performance.now()
  await answer(part('1'))
  await until(() => asked.length > 0)
  const took = Math.min(answeredAt - askedAt, 100) // No wait is longer.
  expect(performance.now() - answeredAt).toBeGreaterThan(0.9 * took)
})
