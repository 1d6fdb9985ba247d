// A batch of imported objects in one transaction. Where the database refuses the batch because of one of its objects, each object is
// written in a transaction of its own, so that a bad object fails alone. docs/spec/imports.md#dry-run-and-report
import type { ImportResult } from '#contracts/actions/import-result'
import { codeOf } from './connect.ts'

const ATTEMPTS_MAX = 3

/** Returns the results in the order of the tasks. `together` writes all of them or nothing. */
export async function importTogether<Task>(
  tasks: Task[],
  together: (tasks: Task[]) => Promise<ImportResult[]>,
  alone: (task: Task) => Promise<ImportResult>,
): Promise<ImportResult[]> {
  if (tasks.length === 0) return []
  for (let attempt = 1; tasks.length > 1 && attempt <= ATTEMPTS_MAX; attempt += 1) {
    try {
      return await together(tasks)
    } catch (error) {
      if (!mayBeOfOneObject(error)) throw error
      if (!(error instanceof Overtaken)) break
    }
  }
  const results: ImportResult[] = []
  for (const task of tasks) results.push(await alone(task))
  return results
}

/** Thrown by `together` where another transaction has written one of the objects in between: the next attempt finds it. */
export class Overtaken extends Error {}

// Class 22: a value that the database cannot hold; 23: a constraint; 40: a deadlock with another import, again and again.
function mayBeOfOneObject(error: unknown): boolean {
  return error instanceof Overtaken || /^(22|23|40)/.test(codeOf(error) ?? '')
}
