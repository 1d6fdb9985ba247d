// The watchdog, on processes of their own.
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { describeWhere } from '#testing/where-possible'

const watchdog = join(import.meta.dirname, 'watchdog.ts')
const saysItEnds = 'orders: the event loop stands still for 3 s; the process ends itself\n'
const container = ['unshare', '--pid', '--fork', '--kill-child']
const canContain = spawnSync('unshare', [...container.slice(1), 'true']).status === 0

/** `below` are the words of a command that starts the process. */
function runScript(
  script: string,
  below: string[] = [],
): Promise<{ code: number | null; signal: string | null; heard: string; ms: number }> {
  const began = performance.now()
  const text = `import { startWatchdog } from ${JSON.stringify(watchdog)}; startWatchdog('orders'); ${script}`
  const [program, ...args] = [...below, process.execPath, '--input-type=module', '--eval', text]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let heard = ''
  child.stderr.on('data', (chunk: Buffer) => {
    heard += chunk.toString()
  })
  return new Promise((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, heard, ms: performance.now() - began })),
  )
}

test('a process whose event loop is blocked is killed, and one line says so', async () => {
  const { signal, heard, ms } = await runScript('setTimeout(() => { for (;;); }, 500)')
  expect(signal).toBe('SIGKILL')
  expect(heard).toBe(saysItEnds)
  expect(ms).toBeGreaterThan(3_000)
})

test('a process that is busy for a second and an idle one are not killed', async () => {
  const busy = 'const until = Date.now() + 1000; setTimeout(() => { while (Date.now() < until); }, 100)'
  expect(await runScript(busy)).toMatchObject({ code: 0, heard: '' })
  expect(await runScript('')).toMatchObject({ code: 0, heard: '' })
})

describeWhere(canContain, 'a process namespace of its own needs unshare and the right to it.')('in a container', () => {
  test('below an init the process is killed', async () => {
    const init = [...container, 'sh', '-c', '"$@" & exec 2>/dev/null; wait $!', 'init']
    const { code, heard } = await runScript('setTimeout(() => { for (;;); }, 500)', init)
    expect({ code, heard }).toEqual({ code: 128 + 9, heard: saysItEnds })
  })

  test('as the first process it cannot be killed, and one line asks for an init', async () => {
    const { code, heard } = await runScript(
      'setTimeout(() => { const until = Date.now() + 5_000; while (Date.now() < until); process.exit(3) }, 500)',
      container,
    )
    const lacks = 'orders: it is the first process of its container, which cannot end itself: start it below an init\n'
    expect({ code, heard }).toEqual({ code: 3, heard: saysItEnds + lacks })
  })
})
