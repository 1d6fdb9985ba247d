// What the tests of a file or of a describe use together: it is opened before the first of them and closed after the last.
import { afterAll, beforeAll } from '@jest/globals'
import type { Database, Storage } from '#postgres/connect'
import { openStorage } from './database.ts'

type Closable = { close?(): unknown; stop?(): unknown }

/**
 * Returns an object that has the fields of the opened one from the first test on: a copy, so not for what tests assign to. Several are
 * opened and closed in the order of the calls.
 */
export function duringTests<Opened extends Closable>(open: () => Promise<Opened>): Opened {
  const opened: Partial<Opened> = {}
  beforeAll(async () => void Object.assign(opened, await open()))
  afterAll(async () => {
    await opened.stop?.()
    await opened.close?.()
  })
  return opened as Opened
}

/** The schema of a service in a database of its own, for tests of statements. */
export function databaseDuringTests(storage: Storage | null): Database & { url: string } {
  if (storage === null) throw new Error('The service keeps no rows.')
  return duringTests(async () => {
    const { db, ...rest } = await openStorage(storage)
    return { ...db, ...rest }
  })
}
