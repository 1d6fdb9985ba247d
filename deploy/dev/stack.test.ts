// Guarantees of stack.ts before it starts anything: replicas that cannot all have a port of their own are refused.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

// A setting that is wrong ends a start that got past the replicas, so that no test starts a house.
function startWith(replicas: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['deploy/dev/stack.ts', '--replicas', replicas], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
    env: { PATH: process.env.PATH, PORT: 'none' },
  })
  return stdout + stderr
}

test('fifty REST gateways are refused: their ports would be those of the MCP gateways', () => {
  expect(startWith('orders=99,rest-gateway=50')).toBe(
    'stack: --replicas rest-gateway must be a number from 0 to 49. ' +
      'Replica n listens on PORT + n, and from PORT + 50 on the MCP gateway does.\n',
  )
})

test('forty-nine of them, and as many as ninety-nine of others, are not', () => {
  expect(startWith('orders=99,rest-gateway=49,mcp-gateway=99')).toMatch(/^stack: PORT/)
})
