// Guarantees of watchdog.ts, on processes of their own.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const watchdog = join(import.meta.dirname, 'watchdog.ts')

function runScript(script: string): Promise<{ code: number | null; signal: string | null; heard: string; ms: number }> {
  const began = performance.now()
  const text = `import { startWatchdog } from ${JSON.stringify(watchdog)}; startWatchdog('orders'); ${script}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', text], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let heard = ''
  child.stderr.on('data', (chunk: Buffer) => {
    heard += chunk.toString()
  })
  return new Promise((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, heard, ms: performance.now() - began })),
  )
}

test('a process whose event loop stands still ends itself and says so', async () => {
  const { signal, heard, ms } = await runScript('setTimeout(() => { for (;;); }, 500)')
  expect(signal).toBe('SIGKILL')
  expect(heard).toBe('orders: the event loop stands still for 3 s; the process ends itself\n')
  expect(ms).toBeGreaterThan(3_000)
})

test('a process that is busy for a second, and one that has nothing to do, are left alone', async () => {
  const busy = 'const until = Date.now() + 1000; setTimeout(() => { while (Date.now() < until); }, 100)'
  expect(await runScript(busy)).toMatchObject({ code: 0, heard: '' })
  expect(await runScript('')).toMatchObject({ code: 0, heard: '' })
})
