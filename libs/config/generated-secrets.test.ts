// Tests the generated secrets: docs/spec/running.md#environment.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepSecret } from './generated-secrets.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'storefront-secrets-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

test('a secret is made on first use and stays the same', () => {
  const secret = keepSecret(dataDir, 'SECRET_KEY')
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(keepSecret(dataDir, 'SECRET_KEY')).toBe(secret)
  expect(keepSecret(dataDir, 'ADMIN_TOKEN')).not.toBe(secret)
})

test('only the owner can read it, and no temporary file is left', () => {
  keepSecret(join(dataDir, 'deep', 'folder'), 'SECRET_KEY')
  const folder = join(dataDir, 'deep', 'folder', 'secrets')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'SECRET_KEY')).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['SECRET_KEY'])
})

test('a damaged secret is reported and not replaced, since data may be encrypted with it', () => {
  keepSecret(dataDir, 'SECRET_KEY')
  writeFileSync(join(dataDir, 'secrets', 'SECRET_KEY'), 'cut')
  expect(() => keepSecret(dataDir, 'SECRET_KEY')).toThrow(/SECRET_KEY is damaged/)
})
