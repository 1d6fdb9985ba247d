// Owns the way to a receiver's process: its address that outlives it, what it is told, and the log that it leaves.
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Arrival, Behaviour, Told } from './webhook-fault-sink.ts'

export type Receiver = {
  url(hook: string): string
  behave(hooks: string[], behaviour: Behaviour): void
  /** The secrets by which the hook verifies from now on. */
  know(hook: string, secrets: string[]): void
  /** Settles when the process is gone. */
  gone(): Promise<void>
  kill(): Promise<void>
  /** Starts it again at its address, with what it was told. */
  start(): Promise<void>
  /** How long the log is. */
  length(): number
  /** What came behind that length. */
  arrivals(from: number): Arrival[]
  stop(): Promise<void>
}

/** Starts one with its log in the folder. */
export async function startReceiver(folder: string, name: string): Promise<Receiver> {
  const path = join(folder, `${name}.log`)
  const told = new Map<string, Told>()
  let port = 0
  let isUp = false
  let child: ChildProcess
  let gone: Promise<void>
  await start()

  async function start(): Promise<void> {
    const own = fork(join(import.meta.dirname, 'webhook-fault-sink.ts'), [String(port), path])
    child = own
    gone = new Promise((resolve) => own.once('exit', () => resolve()))
    const killOwn = () => own.kill('SIGKILL')
    process.once('exit', killOwn)
    own.once('exit', () => process.off('exit', killOwn))
    isUp = false
    await next(own)
    own.send([...told.values()])
    isUp = true
    port = Number(await next(own))
  }

  function tell(one: Told): void {
    told.set(`${one.hook} ${'secrets' in one}`, one)
    if (isUp && child.connected) child.send([one])
  }

  async function kill(): Promise<void> {
    child.kill('SIGKILL')
    await gone
  }

  return {
    url: (hook) => `http://127.0.0.1:${port}/hook/${hook}`,
    behave(hooks, behaviour) {
      for (const hook of hooks) tell({ hook, behaviour })
    },
    know: (hook, secrets) => tell({ hook, secrets }),
    gone: () => gone,
    kill,
    start,
    length: () => (existsSync(path) ? statSync(path).size : 0),
    arrivals: (from) =>
      readFileSync(path)
        .subarray(from)
        .toString()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Arrival),
    stop: kill,
  }
}

function next(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', () => reject(new Error('The receiver ended.')))
  })
}
