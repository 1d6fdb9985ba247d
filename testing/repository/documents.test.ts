// Compares the documents with the code and with each other: citations, links, named files, and the lists that both hold.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { describeSettings } from '#config/config'
import { eventKinds } from '#contracts/objects/webhook-event'
import { banner } from '../../deploy/dev/banner.ts'
import { tools } from '../../services/mcp-gateway/tools/tools.ts'
import { BASE_PATH, routes } from '../../services/rest-gateway/routes.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(root, path))) // A file may be deleted and not yet committed.
const documents = paths.filter((path) => path.endsWith('.md'))
const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>

/** The text without fenced code. */
function proseOf(text: string): string {
  return text.replaceAll(/^ *```[^]*?^ *```$/gm, '')
}

/** The anchors of a document, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of proseOf(read(path)).matchAll(/^#+ (.*)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = text.replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '').replaceAll(' ', '-')
    let repeated = 0
    while (anchors.has(repeated === 0 ? anchor : `${anchor}-${repeated}`)) repeated += 1
    anchors.add(repeated === 0 ? anchor : `${anchor}-${repeated}`)
  }
  return anchors
}
const anchors = new Map(documents.map((path) => [path, anchorsOf(path)]))

describe('references', () => {
  test('every citation of the specification names a page and a heading that exist', () => {
    const broken: string[] = []
    for (const path of paths.filter((one) => !/\.(csv|png|ico|woff2|gz)$/.test(one))) {
      for (const [citation, page = '', anchor] of read(path).matchAll(/(docs\/spec\/[a-z-]+\.md)(?:#([\w-]*))?/g)) {
        const known = anchors.get(page)
        if (known === undefined || (anchor !== undefined && !known.has(anchor))) broken.push(`${path}: ${citation}`)
      }
    }
    expect(broken).toEqual([])
  })

  test('every link between documents leads to a file and a heading that exist', () => {
    const broken: string[] = []
    for (const path of documents) {
      for (const [, target = ''] of proseOf(read(path)).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue
        const [file = '', anchor] = target.split('#')
        const linked = file === '' ? path : normalize(join(dirname(path), file))
        const isBroken = !existsSync(join(root, linked)) || (anchor !== undefined && !anchors.get(linked)?.has(anchor))
        if (isBroken) broken.push(`${path}: ${target}`)
      }
    }
    expect(broken).toEqual([])
  })

  test('every picture is shown by a document, with words for those who do not see it, and has at most 150 KB', () => {
    const shown = documents.flatMap((path) =>
      [...proseOf(read(path)).matchAll(/!\[[^\]]+\]\(([^)\s]+)\)/g)].map(([, target = '']) =>
        normalize(join(dirname(path), target)),
      ),
    )
    const pictures = paths.filter((path) => path.startsWith('docs/pictures/'))
    expect(shown.toSorted()).toEqual(pictures.toSorted())
    expect(pictures.filter((path) => statSync(join(root, path)).size > 150 * 1_024)).toEqual([])
  })

  test('every file that a document names exists', () => {
    const broken: string[] = []
    for (const path of documents.filter((one) => one !== 'CHANGELOG.md')) {
      const named = read(path).matchAll(/`((?:libs|services|deploy|helm|loadtest|docs|cli)\/[\w./-]+)`/g)
      for (const [, file = ''] of named) if (!existsSync(join(root, file))) broken.push(`${path}: ${file}`)
    }
    expect(broken).toEqual([])
  })

  test('every npm script that a document names exists, and CONTRIBUTING.md names all of them', () => {
    const scripts = Object.keys(manifest.scripts ?? {})
    const namesIn = (path: string) => [...read(path).matchAll(/npm run ([a-z][a-z:-]*)/g)].map(([, name = '']) => name)
    const unknown = documents.flatMap((path) =>
      namesIn(path)
        .filter((name) => !scripts.includes(name))
        .map((name) => `${path}: ${name}`),
    )
    const named = ['start', 'test', ...namesIn('CONTRIBUTING.md')]
    expect({ unknown, missing: scripts.filter((name) => !named.includes(name)) }).toEqual({ unknown: [], missing: [] })
  })
})

describe('lists', () => {
  test('the guide for operators has every setting with its default and meaning, and no other', () => {
    const rows = describeSettings().map(
      ({ name, default: value, meaning }) => `| \`${name}\` | ${value === '' ? 'none' : value} | ${meaning} |`,
    )
    const listed = read('docs/guides/operators.md')
      .split('\n')
      .filter((line) => /^\| `[A-Z_]+` \|/.test(line))
    expect(listed).toEqual(rows)
  })

  test('the table of the specification has every page, and no other', () => {
    const listed = [...read('docs/spec/README.md').matchAll(/^\| \[([a-z-]+\.md)\]\(\1\) \|/gm)].map(
      (match) => match[1],
    )
    const pages = documents
      .filter((path) => /^docs\/spec\/[a-z-]+\.md$/.test(path))
      .map((path) => path.slice('docs/spec/'.length))
    expect(listed.toSorted()).toEqual(pages.toSorted())
  })

  test('the README has every public endpoint, and no other', () => {
    const listed = [...read('README.md').matchAll(/^\| `([A-Z]+ \/api\/v1[^`]*)`/gm)].map((match) => match[1])
    expect(listed).toEqual(routes.map(({ method, path }) => `${method} ${BASE_PATH}${path}`))
  })

  test('the README shows the text that the start prints', () => {
    const [shown = '', seconds] = /^Storefront is ready \((.*) s\)\.\n[^]*?(?=\n```)/m.exec(read('README.md')) ?? []
    const valueOf = (name: string) => new RegExp(`${name} +(\\S+)`).exec(shown)?.[1] ?? ''
    const origin = 'http://127.0.0.1:3000'
    const made = banner({
      publicUrl: origin,
      mcpUrl: origin,
      adminUrl: 'http://127.0.0.1:3100',
      adminToken: valueOf('Admin token'),
      signInUrl: valueOf('Sign-in link'),
      keys: { read: valueOf('Read key'), write: valueOf('Write key') },
      seconds: Number(seconds),
    })
    expect(shown).toBe(made.trim())
  })

  test('the guide for sellers has every event in its order, and no other', () => {
    const listed = [...read('docs/guides/sellers.md').matchAll(/^\| `([a-z]+\.[a-z_]+)` \|/gm)].map((match) => match[1])
    expect(listed).toEqual(eventKinds)
  })

  test('the guide for agents has every tool with the access that it needs, and no other', () => {
    const rows = [...read('docs/guides/agents.md').matchAll(/^\| `([a-z_]+)` \| (read|write) \|/gm)]
    const listed = rows.map(([, name = '', access = '']) => `${name} ${access}`)
    const known = tools.map(({ name, writes }) => `${name} ${writes ? 'write' : 'read'}`)
    expect(listed.toSorted()).toEqual(known.toSorted())
  })

  test('the page on security names only tests that exist, at least one for each of its rules', () => {
    const rows = read('docs/security.md').split(/^### /m).slice(1)
    expect(rows).toHaveLength(25)
    const missing: string[] = []
    for (const row of rows) {
      const rule = row.split('\n')[0] ?? ''
      const proofs = [...row.matchAll(/`([\w./-]+\.test\.ts)` › ((?:"[^"]+"(?: \([^)]*\))?(?:, )?)+)/g)]
      if (proofs.length === 0) missing.push(`${rule}: no test`)
      for (const [, file = '', names = ''] of proofs) {
        const text = existsSync(join(root, file)) ? read(file) : ''
        for (const [, name = ''] of names.matchAll(/"([^"]+)"/g)) {
          if (!text.includes(name)) missing.push(`${rule}: ${file} has no test "${name}"`)
        }
      }
    }
    expect(missing).toEqual([])
  })

  test('every package, the chart and the documents have the version of package.json', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string }
    const shown = (path: string, pattern: RegExp) =>
      [...read(path).matchAll(pattern)].map(([, own]) => `${path} ${own}`)
    const versions = [
      ...shown('cli/package/package.json', /"version": "(.*)"/g),
      ...shown('clients/typescript/package.json', /"version": "(.*)"/g),
      ...shown('clients/python/pyproject.toml', /^version = "(.*)"/gm),
      ...shown('helm/Chart.yaml', /^(?:v|appV)ersion: (.*)/gm),
      ...shown('README.md', /Version (\d+\.\d+\.\d+),/g),
      ...shown('cli/package/README.md', /storefront-cli-(.*?)\.tgz/g),
      ...shown('clients/typescript/README.md', /storefront-client-(.*?)\.tgz/g),
      ...shown('clients/python/README.md', /storefront_client-(.*?)-py3/g),
    ]
    expect(versions).toHaveLength(10)
    expect(versions.filter((one) => !one.endsWith(` ${version}`))).toEqual([])
  })

  test('package.json pins every dependency to one version', () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version))).toEqual([])
  })
})
