// Compares a deep page of a walk through a large shop with the first pages of another walk, request by request in turn, so
// that both meet the same machine. Each walk has a filter of its own that keeps every row, so no page comes from a cache.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Form } from './form.ts'
import { median } from './report.ts'
import { freshly } from './scenarios.ts'
import type { WalkShop } from './seed.ts'

export const WALK = 'walk, page 400 against page 1'
export const WALK_PAGE = 400
export const WALK_LIMIT = 100
const COMPARED = 10
const WARM_WALKS = 1

/** The ratio of the median response times: `ratio` is the median over the rounds. */
export type Walked = { ratio: number; low: number; high: number; firstMs: number; deepMs: number }

export async function measureWalk(form: Form, shop: WalkShop, rounds: number): Promise<Walked> {
  const found: { ratio: number; first: number; deep: number }[] = []
  let requests = 0

  function startWalk() {
    const filter = freshly(requests)
    let cursor: string | null = ''
    /** Reads the next page; returns how long that took, in milliseconds. */
    return async (): Promise<number> => {
      const key = shop.keys[requests % shop.keys.length] ?? ''
      requests += 1
      if (cursor === null) throw new Error(`The shop of the walk ends before page ${WALK_PAGE}.`)
      const query = `limit=${WALK_LIMIT}&${filter}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
      const began = performance.now()
      const response = await fetch(`http://127.0.0.1:${form.ports.rest}/api/v1/orders?${query}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      const text = await response.text()
      const ms = performance.now() - began
      if (response.status !== 200) throw new Error(`A page of the walk was answered with ${response.status}.`)
      cursor = (JSON.parse(text) as { next_cursor: string | null }).next_cursor
      return ms
    }
  }

  for (let round = -WARM_WALKS; round < rounds; round += 1) {
    const deep = startWalk()
    for (let page = 1; page <= WALK_PAGE - COMPARED; page += 1) await deep()
    await sleep(100) // What the walk left to collect is not charged to either side.
    const times = { first: [] as number[], deep: [] as number[] }
    const first = startWalk()
    for (let page = 0; page < COMPARED; page += 1) {
      times.first.push(await first())
      times.deep.push(await deep())
    }
    const [one, other] = [median(times.first), median(times.deep)]
    if (round >= 0) found.push({ ratio: other / one, first: one, deep: other })
  }
  const ratios = found.map(({ ratio }) => ratio)
  return {
    ratio: median(ratios),
    low: Math.min(...ratios),
    high: Math.max(...ratios),
    firstMs: median(found.map(({ first }) => first)),
    deepMs: median(found.map(({ deep }) => deep)),
  }
}
