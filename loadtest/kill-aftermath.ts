// Owns the judgement after the last round, of what needs time or a reader: stock of orders that were never written comes
// back, requests that were given up can still be sent again, a walk with the key shows every order once, an import that
// was cut off says so.
import type { Placing } from './kill-buyers.ts'
import { judgeStock, ordersByKey } from './kill-judge.ts'
import { judgeAll, repeat } from './kill-review.ts'
import { type Stage, untilNone, withDatabase } from './kill-stage.ts'

const WALK_MS = 30_000
const SILENCE_MS = 90_000 // An import that says nothing for a minute is seen to be interrupted.

/** Waits at most `returnedMs` for the stock; gives a line about it. What is wrong goes to the stage. */
export async function judgeAftermath(stage: Stage, returnedMs: number): Promise<string> {
  const line = await judgeReturned(stage, returnedMs)
  const givenUp = [...stage.placings.values()].filter(({ answer }) => answer === null)
  await repeat(stage, givenUp)
  await judgeAll(stage)
  await judgeShownStock(stage)
  await judgeWalk(stage)
  await judgeImportRecords(stage)
  return `${line}; then ${givenUp.length} requests that were given up were sent again`
}

async function judgeReturned({ product, shopId, wares, wrong }: Stage, returnedMs: number): Promise<string> {
  const began = performance.now()
  return withDatabase(product, async (db) => {
    const { held } = await judgeStock(db, shopId, wares)
    const left = await untilNone(returnedMs, async () => (await judgeStock(db, shopId, wares)).held)
    wrong.push(...(await judgeStock(db, shopId, wares)).wrong)
    if (left > 0) wrong.push(`${left} units of orders that were never written did not come back`)
    const seconds = ((performance.now() - began) / 1_000).toFixed(0)
    return `${held} units were held for orders that were never written; ${held - left} came back within ${seconds} s`
  })
}

/** The stock of every ware, as its product shows it, is what there was less what the answered orders took. */
async function judgeShownStock({ backOffice, shopId, wares, placings, wrong }: Stage): Promise<void> {
  const sold = unitsSold(placings)
  for (const { productId, variantId, initial } of wares) {
    const { text } = await backOffice.send('GET', `/shops/${shopId}/products/${productId}`)
    const { data } = JSON.parse(text) as { data: Shown & { variants: Shown[] } }
    const shown = variantId === null ? data : data.variants.find(({ id }) => id === variantId)
    const wanted = initial - (sold.get(variantId ?? productId) ?? 0)
    if (shown?.stock !== wanted) wrong.push(`${variantId ?? productId} shows a stock of ${shown?.stock}, not ${wanted}`)
  }
}

type Shown = { id: string; stock: number | null }
type Item = { productId: string | null; variantId: string | null; quantity: number }

function unitsSold(placings: Map<string, Placing>): Map<string, number> {
  const sold = new Map<string, number>()
  for (const { answer } of placings.values()) {
    if (answer?.status !== 201) continue
    const { items } = (JSON.parse(answer.text) as { data: { items: Item[] } }).data
    for (const { productId, variantId, quantity } of items) {
      const id = variantId ?? productId ?? 'free'
      sold.set(id, (sold.get(id) ?? 0) + quantity)
    }
  }
  return sold
}

/** The public list, from page to page with the key: every order that was answered, once, with its bytes. */
async function judgeWalk({ product, secret, shopId, placings, wrong }: Stage): Promise<void> {
  const stored = await withDatabase(product, (db) => ordersByKey(db, shopId))
  const walked: string[] = []
  const signal = AbortSignal.timeout(WALK_MS)
  for (let cursor: string | null = ''; cursor !== null; ) {
    const url = `${product.publicUrl}/api/v1/orders?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${secret}` }, signal })
    const page = (await response.json()) as { data?: object[]; next_cursor?: string | null }
    if (page.data === undefined) {
      wrong.push(`the walk ended with ${response.status}: ${JSON.stringify(page)}`)
      return
    }
    walked.push(...page.data.map((order) => JSON.stringify(order)))
    cursor = page.next_cursor ?? null
  }
  const answered = [...placings.values()].filter(({ answer }) => answer?.status === 201)
  if (walked.length !== answered.length) wrong.push(`the walk shows ${walked.length} orders of ${answered.length}`)
  const shown = new Set(walked)
  const hidden = answered.filter(({ key }) => !shown.has(stored.get(key)?.[0] ?? ''))
  if (hidden.length > 0) wrong.push(`the walk lacks ${hidden.length} orders`)
}

/** No import is shown as running any more: each was finished, or is seen to be interrupted. */
async function judgeImportRecords({ backOffice, tally, wrong }: Stage): Promise<void> {
  const rounds = tally.importsCut + tally.importsWhole
  const statusesOf = async (number: number) => {
    const { text } = await backOffice.send('GET', `/shops/import-${number}/imports`)
    return (JSON.parse(text) as { data: { status: string }[] }).data.map(({ status }) => status)
  }
  const running = await untilNone(SILENCE_MS, async () => {
    return (await statusesOf(rounds)).filter((status) => status === 'running').length
  })
  if (running > 0) wrong.push('an import that was cut off is shown as running')
  for (let number = 1; number <= rounds; number += 1) {
    const shown = (await statusesOf(number)).join(', ')
    if (!/^completed, completed(, (interrupted|completed))?$/.test(shown)) {
      wrong.push(`the imports of round ${number} are shown as ${shown}`)
    }
  }
}
