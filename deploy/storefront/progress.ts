// Owns the bar of an import on a terminal: bytes sent, rate, what remains, and then the records that were read over there.
// Where no terminal watches nothing is drawn.
import { setInterval as ticks } from 'node:timers/promises'
import { Presets, SingleBar } from 'cli-progress'

export type Progress = {
  sent(bytes: number): void
  /** Ends the bar; a second time does nothing. */
  stop(records: number | null): void
}

const POLL_MS = 1_000

/** `recordsSoFar` asks how far the other side is; what it throws only costs one look. */
export function openProgress(bytesAll: number, recordsSoFar: () => Promise<number>): Progress {
  if (process.stderr.isTTY !== true) return { sent: () => undefined, stop: () => undefined }
  const bar = new SingleBar(
    {
      // All of it fits the 80 columns of a plain terminal.
      format: '{bar} {percentage}% {sent}/{all} {rate}/s {remaining} {records} records',
      barsize: 16,
      stream: process.stderr,
      hideCursor: true,
    },
    Presets.shades_classic,
  )
  const began = performance.now()
  const watching = new AbortController()
  let sentAt = began
  let bytes = 0
  let records = 0
  const shown = () => {
    const perSecond = bytes / Math.max((sentAt - began) / 1_000, 0.001)
    const left = Math.ceil((bytesAll - bytes) / Math.max(perSecond, 1))
    const remaining = bytes === 0 ? 'starting' : bytes < bytesAll ? `${left}s left` : 'writing'
    return { sent: size(bytes), all: size(bytesAll), rate: size(perSecond), remaining, records }
  }
  bar.start(Math.max(bytesAll, 1), 0, shown())
  void watch()
  return {
    sent(more) {
      bytes += more
      sentAt = performance.now()
      bar.update(bytes, shown())
    },
    stop(final) {
      if (watching.signal.aborted) return
      watching.abort()
      records = final ?? records
      bar.update(bytes, { ...shown(), remaining: 'done' })
      bar.stop()
    },
  }

  async function watch(): Promise<void> {
    const { signal } = watching
    try {
      for await (const _ of ticks(POLL_MS, undefined, { signal })) {
        records = await recordsSoFar().catch(() => records)
        if (!signal.aborted) bar.update(bytes, shown())
      }
    } catch (error) {
      if (!signal.aborted) throw error // An aborted wait is how the watching ends.
    }
  }
}

function size(bytes: number): string {
  if (bytes < 1_024) return `${Math.round(bytes)} B`
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`
}
