// Starts the command line as a person or a script does: a process of its own, its output not on a terminal.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { childEnv } from '../child-env.ts'

export type Ended = { status: number | null; out: string; err: string }
/** `out` and `err` are what was written so far. */
export type Started = { out: string; err: string; child: ChildProcess; ended: Promise<Ended> }

const program = join(import.meta.dirname, '../../../cli/storefront.ts')

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
