// Proves what a start does about a schema: TypeORM works where a migration is missing, and is not even loaded where none is.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createDatabase, type TestDatabase } from '#testing/database'

const root = join(import.meta.dirname, '../..')
const tellsLoaded = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module'
  const { cache } = createRequire(${JSON.stringify(import.meta.url)})
  process.on('exit', () => console.log('typeorm: ' + Object.keys(cache).some((file) => file.includes('/typeorm/'))))
`)}`

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

function migrateAll(): string {
  const env = { ...process.env, DATABASE_URL: database.url }
  return execFileSync(process.execPath, ['--import', tellsLoaded, 'deploy/dev/migrate.ts'], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
}

test('an empty database gets every migration, and one that has them all is left alone without TypeORM', () => {
  const first = migrateAll()
  expect(first).toContain('typeorm: true')
  expect(first).toContain('CreateOrders1763600000002')
  const second = migrateAll()
  expect(second).toContain('typeorm: false')
  expect(second).not.toContain('Create')
})
