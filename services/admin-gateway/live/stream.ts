// One live stream as server-sent events: docs/spec/access.md#live-stream. What its reader does not take is counted instead of kept, so a
// slow reader costs a bounded piece of memory; one that takes nothing for 30 s is cut by the server, as with every answer.
import type { ServerResponse } from 'node:http'
import { limits } from '#contracts/limits'

const RECONNECT_MS = 1_000 // How long a browser waits before it opens the stream again.

export type LiveStream = {
  /** Begins the answer. */
  begin(): void
  /** Sends events that are rendered by `frameOf`; `count` is how many they are. */
  send(frames: Buffer, count: number): void
  /** Shows that further events were not shown. */
  skip(count: number): void
  heartbeat(): void
  end(): void
}

export function openStream(response: ServerResponse): LiveStream {
  let skipped = 0
  const hasRoom = () => response.writableLength <= limits.liveUnreadBytes

  return {
    begin: () => void response.write(`retry: ${RECONNECT_MS}\n\n`),
    send(frames, count) {
      if (hasRoom()) response.write(frames)
      else skipped += count
    },
    skip(count) {
      skipped += count
      if (skipped === 0 || !hasRoom()) return
      response.write(frameOf('skipped', { count: skipped }))
      skipped = 0
    },
    heartbeat() {
      if (hasRoom()) response.write(':\n\n')
    },
    end: () => void response.end(),
  }
}

export function frameOf(name: string, data: object): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
}
