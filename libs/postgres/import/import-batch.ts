// A batch of imported objects in one transaction. Where the database refuses the batch because of one of its objects, each object is
// written in a transaction of its own, so that a bad object fails alone. docs/spec/imports.md#dry-run-and-report
import type { ImportResult } from '#contracts/actions/import-result'
import { codeOf } from '../connect.ts'

const ATTEMPTS_TOGETHER = 3
// Each attempt waits for the commit of the transaction that came first, so this many objects of one name at once succeed.
const ATTEMPTS_ALONE = 100

/** Returns the results in the order of the tasks. `together` writes all of them or nothing. */
export async function importTogether<Task>(
  tasks: Task[],
  together: (tasks: Task[]) => Promise<ImportResult[]>,
  alone: (task: Task) => Promise<ImportResult>,
): Promise<ImportResult[]> {
  if (tasks.length === 0) return []
  if (tasks.length > 1) {
    try {
      return await untilFirst(ATTEMPTS_TOGETHER, () => together(tasks))
    } catch (error) {
      if (!mayBeOfOneObject(error)) throw error
    }
  }
  const results: ImportResult[] = []
  for (const task of tasks) results.push(await untilFirst(ATTEMPTS_ALONE, () => alone(task)))
  return results
}

/** Thrown where another transaction has written one of the objects in between: the next attempt finds it. */
export class Overtaken extends Error {}

async function untilFirst<Result>(attemptsMax: number, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Overtaken) || attempt >= attemptsMax) throw error
    }
  }
}

// Class 22: a value that the database cannot hold; 23: a constraint; 40: a deadlock with another import, again and again.
function mayBeOfOneObject(error: unknown): boolean {
  return error instanceof Overtaken || /^(22|23|40)/.test(codeOf(error) ?? '')
}
