// Owns one round: load, kill, second start, judgement. What is wrong goes to the stage; the round gives its line.
// The import gets a head start of a random share of the file, so that every part of it is cut; then orders are placed too.
import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { place, type Placing, startBuyers } from './kill-buyers.ts'
import { accountOf, contentsOf, differences, keysIn, sendFile } from './kill-import.ts'
import { bodyOf, halvesOf, judgeOrders, judgeStock, ordersByKey, staleDocuments, unsentMessages } from './kill-judge.ts'
import type { Reach } from './kill-product.ts'
import { makeShop, type Stage, startAgain, untilNone, withDatabase } from './kill-stage.ts'

const KILL_FROM_MS = 300
const KILL_UNTIL_MS = 2_500
const HEAD_START_SHARE = 0.9
const HEAD_START_MS = 60_000
const HANDED_OVER_MS = 60_000
const REPEATERS = 8

/** `number` counts from 1. */
export async function playRound(stage: Stage, number: number, buyerCount: number): Promise<string> {
  const before = stage.wrong.length
  const reach: Reach = number % 2 === 1 ? 'group' : 'all'
  const { id: importShop } = await makeShop(stage.backOffice, `import-${number}`)
  const { placings, killedMs, isImported } = await loadAndKill(stage, importShop, reach, buyerCount)
  for (const placing of placings) stage.placings.set(placing.key, placing)
  await startAgain(stage)
  checkUploads(stage)
  const counts = await judgePlacings(stage, placings)
  const repeated = await repeatAll(stage, placings)
  const cut = await judgeImport(stage, importShop, isImported)
  await judgeAll(stage)
  return [
    `round ${String(number).padStart(2)}: killed ${reach === 'all' ? 'with database' : 'group only   '}`,
    `after ${String(killedMs).padStart(4)} ms, ready in ${(stage.product.readyMs / 1_000).toFixed(1)} s;`,
    `${counts.answered} answered, ${counts.refused} refused, ${counts.found} found, ${counts.absent} absent,`,
    `${repeated} repeated; import ${cut}; ${stage.wrong.length === before ? 'all well' : 'BREACHES'}`,
  ].join(' ')
}

async function loadAndKill(stage: Stage, importShop: string, reach: Reach, buyerCount: number) {
  const { backOffice, product, shopId, wares, reference, wrong } = stage
  const imported = sendFile(backOffice, importShop, stage.file)
  const headStart = randomInt(Math.round(reference.contents.documents.length * HEAD_START_SHARE))
  const missing = await withDatabase(product, (db) =>
    untilNone(HEAD_START_MS, async () => headStart - (await keysIn(db, importShop))),
  )
  if (missing > 0) wrong.push(`the import was ${missing} objects behind after ${HEAD_START_MS} ms`)
  const buyers = startBuyers(buyerCount, backOffice, shopId, wares)
  const killedMs = randomInt(KILL_FROM_MS, KILL_UNTIL_MS)
  await pause(killedMs)
  await product.kill(reach, () => buyers.expectDeath())
  return { placings: await buyers.ended(), killedMs, isImported: (await imported) !== null }
}

/** What is there after the second start, before anything is done again. */
async function judgePlacings(stage: Stage, placings: Placing[]) {
  const { found, ids } = await judgeAll(stage)
  const unanswered = placings.filter(({ answer }) => answer === null)
  const counts = {
    answered: placings.filter(({ answer }) => answer?.status === 201).length,
    refused: placings.filter(({ answer }) => answer?.status === 409).length,
    found: unanswered.filter(({ key }) => found.has(key)).length,
    absent: unanswered.filter(({ key }) => !found.has(key)).length,
  }
  for (const [name, count] of Object.entries(counts)) stage.tally[name as keyof typeof counts] += count
  await each(placings, async ({ key, answer }) => {
    if (answer?.status !== 201) return
    const { text } = await stage.backOffice.send('GET', `/shops/${stage.shopId}/orders/${ids.get(key)}`)
    if (text !== answer.text) stage.wrong.push(`order ${key} is read otherwise than it was answered`)
  })
  return counts
}

/** Sends every request of the round once more, under its key; gives how many. */
async function repeatAll(stage: Stage, placings: Placing[]): Promise<number> {
  const found = await withDatabase(stage.product, (db) => ordersByKey(db, stage.shopId))
  const wanted = placings.filter(({ answer }) => answer?.status !== 409)
  await each(wanted, async (placing) => {
    const [document] = found.get(placing.key) ?? []
    const answer = await place(stage.backOffice, stage.shopId, placing)
    if (document !== undefined && (answer.status !== 201 || answer.text !== bodyOf(document))) {
      stage.wrong.push(`request ${placing.key}, sent again, was answered otherwise: ${answer.status} ${answer.text}`)
    }
    placing.answer ??= answer
  })
  stage.tally.repeats += wanted.length
  return wanted.length
}

/** The import is done again, to its end, and once more; gives in words how far it had come. */
async function judgeImport(stage: Stage, shopId: string, isImported: boolean): Promise<string> {
  const { backOffice, product, reference, file } = stage
  const atCut = await withDatabase(product, (db) => contentsOf(db, shopId))
  const second = accountOf(await sendFile(backOffice, shopId, file))
  const third = accountOf(await sendFile(backOffice, shopId, file))
  const contents = await withDatabase(product, (db) => contentsOf(db, shopId))
  stage.wrong.push(...differences(contents, reference.contents))
  if (JSON.stringify(countsOf(third)) !== JSON.stringify(countsOf(reference.again))) {
    stage.wrong.push(`the third import was not like a second one: ${JSON.stringify(third)}`)
  }
  if (isImported && second.unchanged !== reference.again.unchanged) {
    stage.wrong.push(`an import that was answered was not whole: ${JSON.stringify(second)}`)
  }
  stage.tally[isImported ? 'importsWhole' : 'importsCut'] += 1
  return `${isImported ? 'ended' : 'cut'} at ${atCut.documents.length} of ${contents.documents.length}`
}

function countsOf({ created, updated, unchanged, failed }: ReturnType<typeof accountOf>) {
  return { created, updated, unchanged, failed }
}

/** Everything that must hold whenever nobody is at work. */
async function judgeAll(stage: Stage): Promise<{ found: Map<string, string[]>; ids: Map<string, string> }> {
  const { product, shopId, wares, placings, tally, wrong } = stage
  return withDatabase(product, async (db) => {
    const unsent = await untilNone(HANDED_OVER_MS, () => unsentMessages(db))
    if (unsent > 0) wrong.push(`${unsent} messages were not handed over`)
    const found = await ordersByKey(db, shopId)
    const orders = judgeOrders(placings, found)
    const stock = await judgeStock(db, shopId, wares)
    const stale = await staleDocuments(product.databaseUrl)
    const halves = { ...(await halvesOf(db, shopId)), 'documents that their rows do not render to': stale }
    for (const [what, count] of Object.entries(halves)) if (count > 0) wrong.push(`${count} ${what}`)
    wrong.push(...orders.wrong, ...stock.wrong)
    // What is broken stays so until the end and is met again by every judgement.
    tally.lost = Math.max(tally.lost, orders.lost)
    const halfWritten = Object.values(halves).reduce((sum, count) => sum + count, 0)
    tally.halfWritten = Math.max(tally.halfWritten, halfWritten)
    const ids = new Map([...found].map(([key, [document = '{}']]) => [key, String(JSON.parse(document).id)]))
    return { found, ids }
  })
}

function checkUploads({ folder, wrong }: Stage): void {
  const left = readdirSync(folder).filter((name) => name.startsWith('storefront-import-'))
  if (left.length > 0) wrong.push(`${left.length} uploads of a killed process were left`)
}

/** Does the work for each, a few at a time. */
async function each<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values()
  await Promise.all(
    Array.from({ length: REPEATERS }, async () => {
      for (const item of rest) await work(item)
    }),
  )
}
