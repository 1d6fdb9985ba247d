// Migrations only add, so pods of the previous version work with the new schema during a rolling update and after a rollback.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const root = join(import.meta.dirname, '..')
const files = globSync('services/*/migrations/*.ts', { cwd: root }).toSorted()
const removal =
  /\bdrop (table|column|constraint|schema)\b|\brename\b|\balter column \w+ (set not null|type|set data type)\b|\btruncate\b/i
const droppedCheck = /\bdrop constraint \w+_check\b/gi
const addedCheck = /\badd (constraint \w+ )?check\b/gi
const newRequirement = /\badd column (?:if not exists )?\w+ [^,;`']*\bnot null\b(?![^,;`']*\bdefault\b)/i

test('there are migrations', () => {
  expect(files.length).toBeGreaterThan(5)
})

test.each(files)('%s removes nothing and requires nothing of rows that older code writes', (file) => {
  const text = readFileSync(join(root, file), 'utf8')
  expect(text).toContain('async up')
  expect(removal.exec(withoutReplacedChecks(text))?.[0] ?? null).toBeNull()
  expect(newRequirement.exec(text)?.[0] ?? null).toBeNull()
})

/** A check may be replaced by a wider one, as a table cannot change it otherwise. */
function withoutReplacedChecks(text: string): string {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  return count(droppedCheck) <= count(addedCheck) ? text.replaceAll(droppedCheck, '') : text
}
