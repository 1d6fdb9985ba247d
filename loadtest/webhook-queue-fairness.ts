// Owns fairness: one shop has endpoints that hang, drip and send 10 GB beside one that is well. What that costs the others is
// paired with the same traffic without the bad three; what it costs the worker is its memory.
import type { Ground } from './webhook-queue-ground.ts'
import { takeTurns, type Windows } from './webhook-queue-flow.ts'
import { compared, makeSide } from './webhook-queue-others.ts'
import { percentile, type Row } from './webhook-queue-table.ts'

export type FairnessSize = Windows & { shops: number }

const GROWN_MB_MAX = 32
const MIXED = 0

export async function measureFairness(ground: Ground, size: FairnessSize): Promise<Row[]> {
  const well = ground.sink.url('/ok')
  const bad = ['/hang', '/drip', '/flood'].map((path) => ground.badSink.url(path))
  const alive = Array<string[]>(size.shops).fill([well])
  const without = await makeSide(ground, 'fairness_without', [[well], ...alive])
  const beside = await makeSide(ground, 'fairness_beside', [[well, ...bad], ...alive])
  const taken = await takeTurns(ground, [without, beside], size)
  await ground.drop(without.url)
  await ground.drop(beside.url)
  const [alone, grown] = taken.map(({ memoryMb }) => grownMb(memoryMb)) as [Grown, Grown]
  return [
    ...compared(taken, 'beside the three', (place) => place !== MIXED),
    ...compared(taken, 'in the shop of the three', (place) => place === MIXED).map(({ what, figure }) => ({
      what: `same shop: ${what}`,
      figure,
    })),
    {
      what: 'memory of the worker, first third to last',
      figure: `alone ${alone.from} to ${alone.to} MB, beside the three ${grown.from} to ${grown.to} MB`,
      must: `${GROWN_MB_MAX} MB more than alone at most`,
      holds: grown.to - grown.from - (alone.to - alone.from) <= GROWN_MB_MAX,
    },
  ]
}

type Grown = { from: number; to: number }

// Medians, since the runtime clears up when it likes.
function grownMb(memoryMb: number[]): Grown {
  const third = Math.ceil(memoryMb.length / 3)
  return { from: percentile(memoryMb.slice(0, third), 0.5), to: percentile(memoryMb.slice(-third), 0.5) }
}
