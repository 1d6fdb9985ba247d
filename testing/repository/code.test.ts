// The rules of the code that a machine can check: imports, where SQL, the clock and the environment may be used, names, and public
// interfaces. CONTRIBUTING.md has the reasons.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, test } from '@jest/globals'

const root = join(import.meta.dirname, '../..')
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx'], {
  cwd: root,
  encoding: 'utf8',
})
const paths = listed.trim().split('\n')
// `npm run generate` writes files in a form of its own.
const files = paths
  .filter((path) => !path.includes('/generated/'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const code = files.filter(({ path }) => !path.endsWith('.test.ts') && !path.startsWith('testing/'))
const isService = (path: string) => path.startsWith('services/')
const isGateway = (path: string) => /^services\/[a-z]+-gateway\//.test(path)

// The folders that the code of each top folder may import besides its own. Tests may also import `testing`. `testing` itself
// imports anything, and so do the tests of the folders that compare the parts with each other.
const below: Record<string, string[]> = {
  libs: [],
  clients: [],
  cli: ['libs'],
  console: ['clients', 'libs'],
  services: ['libs'],
  deploy: ['cli', 'console', 'libs', 'services'],
  loadtest: ['clients', 'libs', 'services', 'deploy', 'testing'],
}
const testsImportAnything = ['clients', 'console', 'deploy', 'helm', 'loadtest']

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:^(?:import|export|\})[^'`\n]*\bfrom\s+|^import\s+|\bimport\()'([^']+)'/gm)].map(
    (match) => match[1] ?? '',
  )
}

/** The path of the file that `path` imports as `name`; null for a package. */
function targetOf(path: string, name: string): string | null {
  if (name.startsWith('#testing/')) return `${name.slice(1)}.ts`
  if (name.startsWith('#')) return `libs/${name.slice(1)}.ts`
  return name.startsWith('.') ? relative(root, join(root, dirname(path), name)) : null
}

/** The circles of imports, those of types included, each as the paths of its files. */
function circles(graph: Map<string, string[]>): string[][] {
  const reachedFrom = (start: string) => {
    const reached = new Set<string>()
    const open = [...(graph.get(start) ?? [])]
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (reached.has(path)) continue
      reached.add(path)
      open.push(...(graph.get(path) ?? []))
    }
    return reached
  }
  const reached = new Map([...graph.keys()].map((path) => [path, reachedFrom(path)]))
  const found = new Set<string>()
  for (const [path, others] of reached) {
    if (!others.has(path)) continue
    const circle = [...others].filter((other) => reached.get(other)?.has(path) === true)
    found.add(circle.toSorted().join(' '))
  }
  return [...found].map((circle) => circle.split(' '))
}

/** Paths of the files whose text breaks the rule. */
function offenders(
  list: { path: string; text: string }[],
  breaks: (file: { path: string; text: string }) => boolean,
): string[] {
  return list.filter(breaks).map(({ path }) => path)
}

describe('imports', () => {
  test('no service imports another service', () => {
    const wrong = offenders(
      files.filter(({ path }) => isService(path)),
      ({ path, text }) =>
        importsOf(text).some((name) => {
          const target = name.startsWith('.') ? targetOf(path, name) : null
          if (target === null) return false
          return target.split('/')[1] !== path.split('/')[1] || !target.startsWith('services/')
        }),
    )
    expect(wrong).toEqual([])
  })

  test('gateways hold no SQL: they import neither #postgres nor #paging nor #outbox', () => {
    const wrong = offenders(
      code.filter(({ path }) => isGateway(path)),
      ({ text }) =>
        importsOf(text).some(
          (name) => /^#(postgres|paging|outbox)\//.test(name) || name === 'pg' || name === 'typeorm',
        ),
    )
    expect(wrong).toEqual([])
  })

  test('contracts import nothing of ours but contracts, and no Moleculer', () => {
    const wrong = offenders(
      code.filter(({ path }) => path.startsWith('libs/contracts/')),
      ({ text }) =>
        importsOf(text).some(
          (name) => name === 'moleculer' || (name.startsWith('#') && !name.startsWith('#contracts/')),
        ),
    )
    expect(wrong).toEqual([])
  })

  test('code imports only from its own top folder and from those below it', () => {
    const upward = files.flatMap(({ path, text }) => {
      const [folder = ''] = path.split('/')
      const isTest = path.endsWith('.test.ts')
      if (folder === 'testing') return []
      if (isTest && testsImportAnything.includes(folder)) return []
      const allowed = [folder, ...(below[folder] ?? []), ...(isTest ? ['testing'] : [])]
      return importsOf(text)
        .map((name) => targetOf(path, name))
        .filter((target) => target !== null && target.includes('/') && !allowed.includes(target.split('/')[0] ?? ''))
        .map((target) => `${path} -> ${target}`)
    })
    expect(upward).toEqual([])
  })

  test('no imports form a circle, not even those of types', () => {
    const graph = new Map(
      files.map(({ path, text }) => [path, importsOf(text).flatMap((name) => targetOf(path, name) ?? [])]),
    )
    expect(circles(graph)).toEqual([])
  })

  test('the console imports contracts, what it exports and the client, and nothing of a service or of the command line', () => {
    const wrong = offenders(
      code.filter(({ path }) => path.startsWith('console/src/')),
      ({ path, text }) =>
        importsOf(text).some((name) => {
          if (!name.startsWith('.'))
            return !/^(#contracts\/|#export\/|preact(\/hooks)?$|uplot(\/dist\/uPlot\.min\.css)?$)/.test(name)
          const target = relative(root, join(root, dirname(path), name))
          return !/^(console\/src|clients\/typescript\/src)\//.test(target)
        }),
    )
    expect(wrong).toEqual([])
  })

  test('every file is imported by another, or is a program, a test, a migration or a configuration', () => {
    const imported = new Set(files.flatMap(({ path, text }) => importsOf(text).map((name) => targetOf(path, name))))
    const programs =
      /(^deploy\/[a-z]+\/[a-z-]+\.ts|^cli\/storefront\.ts|^clients\/typescript\/src\/client\.ts|\/main\.ts|\/migrations\/|^console\/(vite\.config\.ts|src\/main\.tsx)$)/
    const pages = ['package.json', 'docs/faults.md', 'docs/performance.md']
    const commands = pages.map((page) => readFileSync(join(root, page), 'utf8')).join('\n')
    // A load program is named by a command, or started by another file of its folder or, with its whole path, by any file.
    const isStarted = (path: string) =>
      commands.includes(path) ||
      files.some(
        (other) =>
          other.text.includes(`'${path}'`) ||
          (dirname(other.path) === dirname(path) && other.text.includes(`'${basename(path)}'`)),
      )
    const lonely = code
      .map(({ path }) => path)
      .filter((path) => !imported.has(path) && !programs.test(path))
      .filter((path) => !path.startsWith('loadtest/') || !isStarted(path))
    expect(lonely).toEqual([])
  })

  test('dependencies are used through their public interfaces only', () => {
    // docs/decisions/README.md lists the exceptions; the one there, a subclass of Moleculer's transporter, breaks no rule below.
    const insides =
      /from '[^.#'][^']*\/(dist|lib|src|build)\/|\.prototype\.\w+ *=|setFlagsFromString|\.transfer\(0?\)|process\.binding\(/
    expect(offenders(code, ({ text }) => insides.test(text))).toEqual([])
  })

  test('only the form of a Moleculer middleware is cast from one type to an unrelated one', () => {
    expect(offenders(code, ({ text }) => text.includes('as unknown as'))).toEqual([
      'libs/runtime/middlewares/middleware.ts',
    ])
  })
})

describe('where things may stand', () => {
  const sql = /['"`]\s*(select|insert into|update|delete from)\s+[a-z_*$]/i

  test('SQL of a service stands in queries.ts and migrations only', () => {
    const wrong = offenders(
      code.filter(({ path }) => isService(path) && !/(queries|migrations\/[^/]+)\.ts$/.test(path)),
      ({ text }) => sql.test(text),
    )
    expect(wrong).toEqual([])
  })

  test('every statement of a queries.ts names the shop, or says why not', () => {
    const wrong: string[] = []
    for (const { path, text } of code.filter(({ path: name }) => name.endsWith('queries.ts'))) {
      if (/^\/\/.*They belong to no shop/m.test(text)) continue
      for (const block of text.split(/\n(?=export )/)) {
        if (sql.test(block) && !/shop_id|All shops|By its own key/.test(block))
          wrong.push(`${path}: ${block.split('\n')[0]}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('the environment is read in config.ts only; programs pass it on', () => {
    const wrong = offenders(code, ({ path, text }) => {
      if (path === 'libs/config/config.ts' || /^(deploy|cli)\/|^loadtest\/cluster\.ts/.test(path)) return false
      return (
        /process\.env/.test(text.replaceAll(/readConfig\(process\.env/g, '')) &&
        !path.startsWith('libs/postgres/embedded')
      )
    })
    expect(wrong).toEqual([])
  })

  test('shapes, transitions and queries read no clock', () => {
    const pure = code.filter(({ path }) => /\/(shape|transitions|queries|stock|tags|person)\.ts$/.test(path))
    expect(offenders(pure, ({ text }) => /new Date\(\)|Date\.now\(\)|performance\.now/.test(text))).toEqual([])
  })

  test('no service speaks HTTP statuses: the table stands in contracts/errors.ts', () => {
    const domain = code.filter(({ path }) => isService(path) && !isGateway(path))
    expect(offenders(domain, ({ text }) => /\b(statusOf|statusCode)\b/.test(text))).toEqual([])
  })
})

describe('form', () => {
  test('every file begins with a comment that says what it does', () => {
    expect(offenders(files, ({ text }) => !text.startsWith('//') && !text.startsWith('#!'))).toEqual([])
  })

  test('no folder or file has a name that fits anything', () => {
    const nothing = /(^|\/)(utils?|helpers?|common|shared|base|manager|core|misc|index)(\/|\.tsx?|-)/
    expect(paths.filter((path) => nothing.test(path))).toEqual([])
  })

  test('no folder holds more than seventeen source files', () => {
    const counts = new Map<string, number>()
    for (const { path } of code.filter(({ path: one }) => !one.startsWith('loadtest/')))
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 17)).toEqual([])
  })

  test('no source file grows past 300 lines', () => {
    // All texts of the console stand in one file a language.
    const long = code
      .filter(({ path, text }) => text.split('\n').length > 300 && !path.startsWith('console/src/words/'))
      .map(({ path }) => path)
    expect(long).toEqual([])
  })

  test('nothing is left behind: no unfinished marks, no escapes from the type checker, no tests switched off', () => {
    const own = files.filter(({ path }) => path !== 'testing/repository/code.test.ts')
    const marks =
      /\/\/.*\b(TODO|FIXME|HACK)\b|@ts-(ignore|nocheck|expect-error)|\bas any\b|: any[,;)=\]\n]|\b(test|it|describe)\.(skip|only|todo|failing)\(/
    expect(offenders(own, ({ text }) => marks.test(text))).toEqual([])
  })
})
