// One live stream as server-sent events: docs/spec/request-log.md#live-stream. What its reader does not take is counted instead of kept, so a
// slow reader costs a bounded piece of memory; one that takes nothing for 30 s is cut by the server, as with every answer.
import type { ServerResponse } from 'node:http'
import { limits } from '#contracts/limits'

const DRAIN_MS = 100 // After its end, so that the connection of a reader that reads slowly ends in time too.
const RECONNECT_MS = 1_000 // How long a browser waits before it opens the stream again.

export type LiveStream = {
  /** Begins the answer. */
  begin(): void
  /** Sends events that are rendered by `frameOf`; `count` is how many they are. */
  send(frames: Buffer, count: number): void
  /** Shows that further events were not shown. */
  skip(count: number): void
  heartbeat(): void
  /** Ends the answer; nothing is written after it. Closes the connection where the reader does not take the rest at once. */
  end(): void
}

export function openStream(response: ServerResponse): LiveStream {
  let skipped = 0
  let isEnded = false
  const hasRoom = () => response.writableLength <= limits.liveUnreadBytes
  const write = (data: Buffer | string) => {
    if (!isEnded) response.write(data)
  }
  response.on('error', () => undefined) // Its reader is gone, which 'close' tells.

  return {
    begin: () => write(`retry: ${RECONNECT_MS}\n\n`),
    send(frames, count) {
      if (hasRoom()) write(frames)
      else skipped += count
    },
    skip(count) {
      skipped += count
      if (skipped === 0 || !hasRoom()) return
      write(frameOf('skipped', { count: skipped }))
      skipped = 0
    },
    heartbeat() {
      if (hasRoom()) write(':\n\n')
    },
    end() {
      if (isEnded) return
      isEnded = true
      response.end()
      const timer = setTimeout(() => response.destroy(), DRAIN_MS)
      response.once('close', () => clearTimeout(timer))
    },
  }
}

export function frameOf(name: string, data: object): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
}
