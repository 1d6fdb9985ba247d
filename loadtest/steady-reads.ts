// Reads of one shop at a steady pace, in a thread of its own, so that what the calling program does delays none of them: orders that
// nobody asked for before and contacts in turn. Posts each read; `workerData` names the port and the keys.
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** When a read began, how long it took, in milliseconds, and its status: 0 where the connection ended before the answer. */
export type Read = { at: number; ms: number; status: number }

const EVERY_MS = 60 // Five keys are within their budgets of four calls a second each.

if (parentPort !== null) {
  const { port, keys } = workerData as { port: number; keys: string[] }
  for (let turn = 0; ; turn += 1) {
    void readOnce(port, keys[turn % keys.length] ?? '', turn)
    await pause(EVERY_MS)
  }
}

async function readOnce(port: number, key: string, turn: number): Promise<void> {
  const path = turn % 2 === 0 ? `/orders?created_after=${new Date(turn).toISOString()}` : '/contacts'
  const at = Date.now()
  const { status, ms } = await exchange({ port, path: `/api/v1${path}`, headers: { authorization: `Bearer ${key}` } })
  parentPort?.postMessage({ at, ms, status } satisfies Read)
}

/** One request on a connection of its own. */
export function exchange(options: object, body = ''): Promise<{ status: number; bytes: number; ms: number }> {
  const at = performance.now()
  return new Promise((resolve) => {
    let bytes = 0
    const end = (status: number) => resolve({ status, bytes, ms: performance.now() - at })
    const sent = request({ ...options, host: '127.0.0.1', agent: false }, (response) => {
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.once('end', () => end(response.statusCode ?? 0))
      response.once('error', () => end(0))
    })
    sent.once('error', () => end(0))
    sent.end(body)
  })
}
