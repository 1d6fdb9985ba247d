// stack.ts refuses replicas that cannot all have a port of their own.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { childEnv } from '#testing/child-env'

// The invalid PORT ends the program once the replicas are accepted, before it starts anything.
function startWith(replicas: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['deploy/dev/stack.ts', '--replicas', replicas], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
    env: { ...childEnv, PORT: 'none' },
  })
  return stdout + stderr
}

test('fifty REST gateways are refused: their ports end below those of the MCP gateways', () => {
  expect(startWith('orders=99,rest-gateway=50')).toBe(
    'stack: --replicas rest-gateway must be a number from 0 to 49. ' +
      'Replica n listens on PORT + n, and mcp-gateway from PORT + 50 on.\n',
  )
})

test('forty-nine REST gateways and ninety-nine of other services are accepted', () => {
  expect(startWith('orders=99,rest-gateway=49,mcp-gateway=99')).toMatch(/^stack: PORT/)
})
