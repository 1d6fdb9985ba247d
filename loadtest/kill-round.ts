// Owns one round: load, kill, second start, judgement. What is wrong goes to the stage; the round gives its line.
// The import gets a head start of a random share of the file, so that every part of it is cut; then orders are placed too.
import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Placing, startBuyers } from './kill-buyers.ts'
import { accountOf, contentsOf, differences, keysIn, sendFile } from './kill-import.ts'
import type { Reach } from './kill-product.ts'
import { each, judgeAll, repeat } from './kill-review.ts'
import { makeShop, type Stage, startAgain, untilNone, withDatabase } from './kill-stage.ts'

const KILL_FROM_MS = 300
const KILL_UNTIL_MS = 2_500
const HEAD_START_SHARE = 0.9
const HEAD_START_MS = 60_000

/** `number` counts from 1. */
export async function playRound(stage: Stage, number: number, buyerCount: number): Promise<string> {
  const before = stage.wrong.length
  const reach: Reach = number % 2 === 1 ? 'group' : 'all'
  const { id: importShop } = await makeShop(stage.backOffice, `import-${number}`)
  const { placings, killedMs, isImported } = await loadAndKill(stage, importShop, reach, buyerCount)
  for (const placing of placings) stage.placings.set(placing.key, placing)
  await startAgain(stage)
  checkUploads(stage)
  const { counts, wanted } = await judgePlacings(stage, placings)
  await repeat(stage, wanted)
  await judgeAll(stage)
  const cut = await judgeImport(stage, importShop, isImported)
  await judgeAll(stage)
  return [
    `round ${String(number).padStart(2)}: killed ${reach === 'all' ? 'with database' : 'group only   '}`,
    `after ${String(killedMs).padStart(4)} ms, ready in ${(stage.product.readyMs / 1_000).toFixed(1)} s;`,
    `${counts.answered} answered, ${counts.refused} refused, ${counts.found} found, ${counts.absent} absent,`,
    `${wanted.length} repeated; import ${cut}; ${stage.wrong.length === before ? 'all well' : 'BREACHES'}`,
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

/**
 * What is there after the second start, before anything is done again. `wanted` are the requests that are sent again;
 * of those that left nothing every second is given up for now, so that its stock has to come back by itself.
 */
async function judgePlacings(stage: Stage, placings: Placing[]) {
  const found = await judgeAll(stage)
  const answered = placings.filter(({ answer }) => answer?.status === 201)
  const refused = placings.filter(({ answer }) => answer?.status === 409)
  const unanswered = placings.filter(({ answer }) => answer === null)
  const [left, absent] = [
    unanswered.filter(({ key }) => found.has(key)),
    unanswered.filter(({ key }) => !found.has(key)),
  ]
  const counts = {
    answered: answered.length,
    refused: refused.length,
    found: left.length,
    absent: absent.length,
  }
  for (const [name, count] of Object.entries(counts)) stage.tally[name as keyof typeof counts] += count
  await each(answered, async ({ key, answer }) => {
    const [document = '{}'] = found.get(key) ?? []
    const { id } = JSON.parse(document) as { id?: string }
    const { text } = await stage.backOffice.send('GET', `/shops/${stage.shopId}/orders/${id}`)
    if (text !== answer?.text) stage.wrong.push(`order ${key} is read otherwise than it was answered`)
  })
  return { counts, wanted: [...answered, ...left, ...absent.filter((_placing, index) => index % 2 === 0)] }
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

function checkUploads({ folder, wrong }: Stage): void {
  const left = readdirSync(folder).filter((name) => name.startsWith('storefront-import-'))
  if (left.length > 0) wrong.push(`${left.length} uploads of a killed process were left`)
}
