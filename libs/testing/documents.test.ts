// Owns the promise that the lists in the README are the lists in the code.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { describeSettings } from '#config/config'
import { eventKinds } from '#contracts/objects/webhook-event'
import { BASE_PATH, routes } from '../../services/rest-gateway/routes.ts'

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as Record<
  string,
  Record<string, string>
>

describe('the README', () => {
  test('lists every setting with its default and meaning, and no other', () => {
    const rows = describeSettings().map(
      ({ name, default: value, meaning }) => `| \`${name}\` | ${value === '' ? 'none' : value} | ${meaning} |`,
    )
    const listed = readme.split('\n').filter((line) => /^\| `[A-Z_]+` \|/.test(line))
    expect(listed).toEqual(rows)
  })

  test('lists every public endpoint, and no other', () => {
    const listed = [...readme.matchAll(/^\| `([A-Z]+ \/api\/v1[^`]*)`/gm)].map((match) => match[1])
    expect(listed).toEqual(routes.map(({ method, path }) => `${method} ${BASE_PATH}${path}`))
  })

  test('lists every event in its order, and no other', () => {
    const listed = [...readme.matchAll(/^\| `([a-z]+\.[a-z_]+)` \|/gm)].map((match) => match[1])
    expect(listed).toEqual(eventKinds)
  })

  test('names only commands that exist', () => {
    const named = [...readme.matchAll(/`npm run ([a-z-]+)/g)].map((match) => match[1] ?? '')
    expect(named.filter((name) => manifest.scripts?.[name] === undefined)).toEqual([])
  })

  test.each(['README.md', 'ARCHITECTURE.md', 'docs/security.md'])('%s names only files that exist', (page) => {
    const text = readFileSync(join(import.meta.dirname, '../..', page), 'utf8')
    const named = [...text.matchAll(/`((?:libs|services|deploy|helm|loadtest|docs)\/[\w./-]+\.\w+)`/g)].map(
      (match) => match[1] ?? '',
    )
    expect(named.filter((file) => !existsSync(join(import.meta.dirname, '../..', file)))).toEqual([])
  })

  test('has a page on security that names only tests that exist, for every row of it', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8')
    const rows = page.split(/^### /m).slice(1)
    expect(rows).toHaveLength(23)
    const missing: string[] = []
    for (const row of rows) {
      const proofs = [...row.matchAll(/`([\w./-]+\.test\.ts)` › ((?:"[^"]+"(?: \([^)]*\))?(?:, )?)+)/g)]
      if (proofs.length === 0) missing.push(`${row.split('\n')[0]}: no test`)
      for (const [, file = '', names = ''] of proofs) {
        const path = join(import.meta.dirname, '../..', file)
        const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
        const absent = [...names.matchAll(/"([^"]+)"/g)].filter(([, name = '']) => !text.includes(name))
        missing.push(...absent.map(([name]) => `${file}: ${name}`))
      }
    }
    expect(missing).toEqual([])
  })

  test('pins every dependency to one version', () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version))).toEqual([])
  })
})
