// Starts the command line as a person or a script does: a process of its own, its output not on a terminal.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { childEnv } from '../child-env.ts'
import type { Order } from './command-loop.ts'

export type Ended = { status: number | null; out: string; err: string }
/** `out` and `err` are what was written so far. */
export type Started = { out: string; err: string; child: ChildProcess; ended: Promise<Ended> }

const program = join(import.meta.dirname, '../../cli/storefront.ts')

/** Starts a command; `input` is what is piped in. */
export function startCommand(args: string[], env: Record<string, string | undefined>, input?: string): Started {
  const child = spawn(process.execPath, [program, ...args], { env: { ...childEnv, ...env } })
  const started: Started = { out: '', err: '', child, ended: ended() }
  child.stdin.end(input ?? '')
  child.stdout.on('data', (chunk: Buffer) => {
    started.out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    started.err += chunk.toString()
  })
  return started

  function ended(): Promise<Ended> {
    return new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (status) => resolve({ status, out: started.out, err: started.err }))
    })
  }
}

let kept: ChildProcess | null = null

/** Runs a command to its end in a process that stays for the next one (command-loop.ts); one at a time. */
export async function runCommand(args: string[], env: Order['env'], input = ''): Promise<Ended> {
  const loop = (kept ??= fork(join(import.meta.dirname, 'command-loop.ts'), { env: childEnv }))
  const order: Order = { args, env: { ...childEnv, ...env }, input }
  loop.ref()
  loop.channel?.ref()
  loop.send(order)
  const [ended] = (await once(loop, 'message')) as [Ended]
  loop.unref() // Between commands it keeps nobody waiting; it ends with this process.
  loop.channel?.unref()
  return ended
}
