// The migrations of a service, found in its folder, so that a new migration is one file.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Storage } from '../connect.ts'

type Migration = Storage['migrations'][number]

/** The class that each file of the folder exports, in the order of the file names. */
export async function migrationsIn(folder: string): Promise<Migration[]> {
  const files = readdirSync(folder).filter((name) => /^\d{4}-[a-z-]+\.ts$/.test(name))
  const modules: Record<string, unknown>[] = await Promise.all(
    files.toSorted().map((name) => import(join(folder, name)) as Promise<Record<string, unknown>>),
  )
  return modules.map((module, index) => {
    const [migration] = Object.values(module)
    if (typeof migration !== 'function') throw new Error(`${files.toSorted()[index]} exports no migration.`)
    return migration as Migration
  })
}
