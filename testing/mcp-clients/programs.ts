// The official MCP clients of Python and Go as programs, for the tests of the endpoint and of agents' sign-in.
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { findProgram } from '#local-servers/find-program'

type Json = Record<string, unknown>
export type Program = 'python/client.py' | 'python/sign_in.py'

const folder = join(import.meta.dirname, '../../services/mcp-gateway/clients')
const isCi = process.env.CI === 'true' // There a missing program is a failure.

export const inPython = {
  possible: isCi || spawnSync('python3', ['-c', 'import mcp']).status === 0,
  reason: 'pip install -r services/mcp-gateway/clients/python/requirements.txt',
}
export const inGo = { possible: isCi || findProgram('go', process.env.PATH ?? '') !== null, reason: 'go is missing' }

/** The command of a program in Python. */
export function python(program: Program): string[] {
  return ['python3', join(folder, program)]
}

/** Compiles the program in Go; returns its command. Throws what the compiler says. */
export function buildGo(): { command: string[]; remove(): void } {
  const built = mkdtempSync(join(tmpdir(), 'storefront-go-'))
  const made = spawnSync('go', ['build', '-C', join(folder, 'go'), '-o', join(built, 'client'), '.'])
  if (made.status !== 0) throw new Error(`go build: ${made.stderr.toString()}`)
  return { command: [join(built, 'client')], remove: () => rmSync(built, { recursive: true }) }
}

/** A program that is asked and answers in lines of JSON. */
export type Conversation = {
  /** Sends an object and waits for the next one. Throws what the program wrote to stderr where it ended instead. */
  ask(given: Json): Promise<Json>
  close(): Promise<void>
}

/** Starts a program that converses. */
export function converse([file = '', ...args]: string[]): Conversation {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  child.on('error', (error) => (said += String(error)))
  child.stdin.on('error', (error) => (said += String(error))) // The program has ended: the next line is missing.
  return {
    async ask(given) {
      child.stdin.write(`${JSON.stringify(given)}\n`)
      const line = await lines.next()
      if (line.done !== true) return JSON.parse(line.value) as Json
      await ended
      throw new Error(`${file} ended: ${said}`)
    },
    async close() {
      child.stdin.end()
      await ended
    },
  }
}
