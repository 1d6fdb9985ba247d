// Migrations only add, so pods of the previous version work with the new schema during a rolling update and after a rollback.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const root = join(import.meta.dirname, '..')
const files = globSync('services/*/migrations/*.ts', { cwd: root }).toSorted()
const removal =
  /\bdrop (table|column|constraint|schema)\b|\brename\b|\balter column \w+ (set not null|type|set data type)\b|\btruncate\b/i
// A rule that another one of the same name replaces in the same statement.
const replacement = /\bdrop constraint (\w+),\s+add constraint \1\b/gi
const newRequirement = /\badd column (?:if not exists )?\w+ [^,;`']*\bnot null\b(?![^,;`']*\bdefault\b)/i

test('there are migrations', () => {
  expect(files.length).toBeGreaterThan(5)
})

test.each(files)('%s removes nothing and requires nothing of rows that older code writes', (file) => {
  const text = readFileSync(join(root, file), 'utf8')
  expect(text).toContain('async up')
  expect(removal.exec(text.replaceAll(replacement, ''))?.[0] ?? null).toBeNull()
  expect(newRequirement.exec(text)?.[0] ?? null).toBeNull()
})
