// The command line as a package: packed, installed into a clean folder from the archive and run by npx. docs/spec/command-line.md
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

type Manifest = { version: string; dependencies: Record<string, string> }

const root = join(import.meta.dirname, '../..')
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Manifest
const own = read(join(import.meta.dirname, 'package.json'))
let folder: string
let archive: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'storefront-package-'))
  npm(['pack', '--pack-destination', folder], import.meta.dirname)
  archive = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')
})
afterAll(() => rmSync(folder, { recursive: true }))

function npm(args: string[], cwd: string): string {
  return execFileSync('npm', [...args, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
  })
}

test('is the version of the product with its versions of packages', () => {
  const { version, dependencies } = read(join(root, 'package.json'))
  expect(own.version).toBe(version)
  expect(own.dependencies).toEqual(expect.objectContaining({ commander: dependencies.commander }))
  expect(Object.entries(own.dependencies).filter(([name, pinned]) => dependencies[name] !== pinned)).toEqual([])
})

test('holds JavaScript only, and what it imports it depends on', () => {
  const list = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n')
  expect(list.filter((name) => !/^package\/(dist\/.*\.js|package\.json|README\.md)$/.test(name))).toEqual([])
  const code = execFileSync('tar', ['-xzOf', archive], { encoding: 'utf8', maxBuffer: 20_000_000 })
  const imported = [...code.matchAll(/^(?:import|export) .*?from ['"]([^.#'"][^'"]*)['"]/gm)].map(
    ([, name = '']) => name,
  )
  const packages = imported.filter((name) => !name.startsWith('node:')).map((name) => name.split('/')[0] ?? '')
  expect([...new Set(packages)].sort()).toEqual(Object.keys(own.dependencies).sort())
})

test('npx runs it from the archive in a clean folder', () => {
  const clean = mkdtempSync(join(folder, 'clean-'))
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  const run = (...args: string[]) => {
    const options = { cwd: clean, encoding: 'utf8', env } as const
    const command = ['--yes', '--prefer-offline', '--package', archive, 'storefront', ...args]
    const { status, stdout, stderr } = spawnSync('npx', command, options)
    return { status, stdout, stderr }
  }
  expect(run('orders', 'ship', '--help')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('\n  storefront orders ship latest --tracking-number 1Z999 --shop demo\n'),
  })
  expect(run('shpos')).toMatchObject({ status: 2, stderr: expect.stringContaining('(Did you mean shops?)') })
})
