// Guarantee of load.ts: every k6 story runs and holds, briefly, against the distributed form.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { findProgram } from '#local-servers/find-program'
import { describeWhere } from '#testing/where-possible'

const root = join(import.meta.dirname, '../..')
const path = process.env.PATH ?? ''
const canRun =
  process.env.CI === 'true' || (findProgram('k6', path) !== null && findProgram('nats-server', path) !== null)

describeWhere(canRun, 'the k6 stories need k6 and nats-server on the PATH.')('on the distributed form', () => {
  test('every story holds', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['loadtest/k6/load.ts', '--smoke'], {
      cwd: root,
      encoding: 'utf8',
      timeout: 280_000,
    })
    expect({ status, said: status === 0 ? '' : `${stdout}${stderr}` }).toEqual({ status: 0, said: '' })
    expect(stdout).toContain('5 stories hold, 0 do not')
  }, 300_000)
})
