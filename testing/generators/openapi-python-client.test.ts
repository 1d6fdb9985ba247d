// openapi-python-client takes both documents as they are, and what it makes lists all orders. docs/spec/reference.md#openapi-documents
import { beforeAll, expect, test } from '@jest/globals'
import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pythonWith } from '../files/tool-folder.ts'
import { openGiven } from './generators.ts'
import { duringTests } from '#testing/during-tests'

const requirements = 'openapi-python-client==0.29.1\nhttpx==0.28.1\nattrs==26.1.0'
const given = duringTests(() => openGiven())
let bin: string

beforeAll(async () => {
  bin = pythonWith('openapi-python-client', requirements)
}, 180_000)

test('its clients list all orders, page by page', async () => {
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, PYTHONPATH: given.folder }
  for (const { name, file, url, credential, shop } of given.apis) {
    const args = [
      'generate',
      '--path',
      file,
      '--meta',
      'none',
      '--output-path',
      join(given.folder, name),
      '--fail-on-warning',
    ]
    execFileSync(join(bin, 'openapi-python-client'), args, { cwd: given.folder, env, stdio: 'pipe' })
    const program = [join(import.meta.dirname, 'list_orders.py'), name, url, credential, ...shop]
    const { stdout } = await promisify(execFile)(join(bin, 'python'), program, { env })
    expect(stdout.trim().split('\n')).toEqual(given.orders)
  }
}, 120_000)
