// Owns the way to the receiver's process: its address, and its log.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Arrival, Question } from './webhook-queue-sink.ts'

export type Sink = {
  /** What is behind the path tells how it answers: /hang, /drip and /flood badly, all others with 200 at once. */
  url(path: string): string
  /** What has come since the last time. */
  take(): Promise<Arrival[]>
  /** How much has come since `take`. */
  count(): Promise<number>
  stop(): void
}

export async function startSink(): Promise<Sink> {
  const child = fork(join(import.meta.dirname, 'webhook-queue-sink.ts'), { serialization: 'advanced' })
  const port = (await next(child)) as number
  let turn: Promise<unknown> = Promise.resolve()
  // One question at a time, so that each answer is to its own.
  const ask = (question: Question) => {
    turn = turn.then(() => {
      child.send(question)
      return next(child)
    })
    return turn
  }
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    take: async () => (await ask('take')) as Arrival[],
    count: async () => (await ask('count')) as number,
    stop: () => child.disconnect(),
  }
}

function next(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('The receiver ended.'))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message)
    })
  })
}
