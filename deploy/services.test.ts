// The registry of services agrees with the code, and everything written from it is up to date.
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { describeSettings } from '#config/config'
import { generatedFiles } from './dev/generate.ts'
import { registry } from './registry.ts'
import { services } from './services.ts'
import { sloFile } from './slo-rules.ts'

const root = join(import.meta.dirname, '..')
const names = registry.map(({ name }) => name)

test('the registry names every folder of services, each once', () => {
  expect(names.toSorted()).toEqual(readdirSync(join(root, 'services')).toSorted())
})

test('each entry says of its service what the code says: schema, back-office token, mail, port', () => {
  const defaults = new Map(describeSettings().map((setting) => [setting.name, setting.default]))
  for (const [index, { name, kind, schema, port, needs }] of registry.entries()) {
    const { storage, needsAdminToken } = services[index] ?? {}
    const code = sourceOf(name)
    expect({ name, schema, adminToken: needs.includes('adminToken'), mail: needs.includes('mail') }).toEqual({
      name,
      schema: storage?.schema ?? null,
      adminToken: needsAdminToken,
      mail: code.includes("from '#mail/mail'"),
    })
    expect({ name, gateway: kind === 'gateway' }).toEqual({ name, gateway: name.endsWith('-gateway') })
    expect({ name, listens: port !== null }).toEqual({ name, listens: kind === 'gateway' })
    // Containers set no port, so the number in one is the default of the setting.
    expect({ name, port: port && String(port.number) }).toEqual({ name, port: port && defaults.get(port.setting) })
  }
})

test('every file that `npm run generate` writes is up to date and holds its marks', () => {
  for (const { path, text } of generatedFiles()) {
    const current = readFileSync(join(root, path), 'utf8')
    expect({ path, current }).toEqual({ path, current: text })
    for (const name of names.filter((one) => !one.endsWith('-gateway')))
      expect({ path, text }).toEqual({ path, text: expect.stringContaining(name) })
  }
})

function sourceOf(name: string): string {
  const files = globSync(`services/${name}/**/*.ts`, { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  return files.map((file) => readFileSync(join(root, file), 'utf8')).join('')
}

test('the rules of the service level objectives are up to date', () => {
  const { path, text } = sloFile()
  expect(readFileSync(join(root, path), 'utf8')).toBe(text)
})
