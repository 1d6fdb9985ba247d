// The problems of imports (docs/spec/imports.md#problems): each code has its advice, in the page as well.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { importAdvice } from '#contracts/objects/import-advice'

const root = join(import.meta.dirname, '../../..')
const folders = ['admin-gateway', 'orders', 'contacts', 'catalog'].map((name) => `services/${name}/import`)
const sources = [...folders, 'libs/money', 'services/contacts/save'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8')),
)

test('every code that an importer emits has advice', () => {
  // As the argument before the message, and as the field of a problem.
  const calls =
    /\b(?:fail|error|warn|skip|failed|skipped|problem|problemOf|FileProblem)\((?:(?!Stop\()[^;]){0,80}?'([a-z]+(?:_[a-z]+)*)',\s*(?:[`"]|'[A-Z]|words|message|imbalance)/g
  const fields = /\b(?:code|problem): '([a-z_]+)'/g
  const emitted = new Set(
    sources.flatMap((text) => [calls, fields].flatMap((one) => [...text.matchAll(one)].map(([, code]) => code))),
  )
  expect(emitted.size).toBeGreaterThan(40)
  expect([...emitted].filter((code) => code !== undefined && !(code in importAdvice))).toEqual([])
})

test('the specification has the same advice', () => {
  const page = readFileSync(join(root, 'docs/spec/imports.md'), 'utf8')
  const [, section = ''] = /## Problems\n([^]*?)\n## /.exec(page) ?? []
  const rows = [...section.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, code, advice]) => [code, advice])
  expect(rows.filter(([code]) => code !== 'code')).toEqual(Object.entries(importAdvice))
})

test('each advice is one sentence', () => {
  expect(Object.values(importAdvice).filter((text) => !/^[A-Z][^.!?]*(\.\d+[^.!?]*)?\.$/.test(text))).toEqual([])
})
