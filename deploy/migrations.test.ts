// Proves what a rolling update and a rollback stand on: on the way up migrations only add, so pods of the last version go on
// while the schema is already the new one.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const root = join(import.meta.dirname, '..')
const files = globSync('services/*/migrations/*.ts', { cwd: root }).toSorted()
const takesAway =
  /\bdrop (table|column|constraint|schema)\b|\brename\b|\balter column \w+ (set not null|type|set data type)\b|\btruncate\b/i
const demands = /\badd column (?:if not exists )?\w+ [^,;`']*\bnot null\b(?![^,;`']*\bdefault\b)/i

test('there are migrations to look at', () => {
  expect(files.length).toBeGreaterThan(5)
})

test.each(files)('%s takes nothing away and demands nothing of rows that older code writes', (file) => {
  const up = readFileSync(join(root, file), 'utf8').split('async down')[0] ?? ''
  expect(up).toContain('async up')
  expect(takesAway.exec(up)?.[0] ?? null).toBeNull()
  expect(demands.exec(up)?.[0] ?? null).toBeNull()
})
