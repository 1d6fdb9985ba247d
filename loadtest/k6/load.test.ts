// Guarantees of load.ts: every k6 story runs and holds, briefly, against the distributed form; those that need nothing but keys do against
// an installation that runs already (docs/spec/running.md#load-on-a-deployment).
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { findProgram } from '#local-servers/find-program'
import { openStack } from '#testing/product/stack'
import { describeWhere } from '#testing/where-possible'

const root = join(import.meta.dirname, '../..')
const isFound = ['k6', 'nats-server'].every((name) => findProgram(name, process.env.PATH ?? '') !== null)

function load(...options: string[]): Promise<{ isFine: boolean; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['loadtest/k6/load.ts', ...options], { cwd: root }, (error, stdout, stderr) => {
      resolve({ isFine: error === null, said: stdout + stderr })
    })
  })
}

describeWhere(isFound || process.env.CI === 'true', 'the k6 stories need k6 and nats-server on the PATH.')(
  'load',
  () => {
    test('every story holds on the distributed form', async () => {
      const { isFine, said } = await load('--smoke')
      expect({ isFine, said }).toEqual({ isFine: true, said: expect.stringContaining('5 stories hold, 0 do not') })
    }, 300_000)

    test('with keys the stories run against an installation, and a key that is refused breaks them', async () => {
      const stack = await openStack({ form: 'one-process' })
      const folder = mkdtempSync(join(tmpdir(), 'storefront-load-'))
      try {
        const shops = [await stack.makeShop(), await stack.makeShop()]
        const keys = await Promise.all(shops.map(async ({ id }) => (await stack.makeKey(id, 'write')).secret))
        const file = join(folder, 'keys')
        writeFileSync(file, `${keys.join('\n')}\n`)
        const to = ['--base', `http://127.0.0.1:${stack.ports[0]}/`, '--keys', file, '--smoke']
        const { isFine, said } = await load(...to, '--seconds', '2')
        expect({ isFine, said }).toEqual({ isFine: true, said: expect.stringContaining('4 stories hold, 0 do not') })
        const saved = await Promise.all(keys.map((key) => stack.get('/api/v1/contacts', { key })))
        expect(saved.map(({ body }) => (body as { data: object[] }).data.length > 0)).toEqual([true, true])
        expect((await load(...to, '--rate', '4')).said).toContain('A rate of 4 needs 3 keys')
        writeFileSync(file, 'sfk_unknown\nsfk_unknown\n')
        expect(await load(...to, '--story', 'mixed', '--seconds', '1')).toMatchObject({ isFine: false })
      } finally {
        await stack.stop()
        rmSync(folder, { recursive: true })
      }
    }, 120_000)
  },
)
