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
      format: '{bar} {percentage}% | {sent} of {all} | {rate}/s | {remaining} | {records} records',
      stream: process.stderr,
      hideCursor: true,
    },
    Presets.shades_classic,
  )
  const began = performance.now()
  const watching = new AbortController()
  let bytes = 0
  let records = 0
  const shown = () => {
    const perSecond = bytes / Math.max((performance.now() - began) / 1_000, 0.001)
    const left = Math.ceil((bytesAll - bytes) / Math.max(perSecond, 1))
    const remaining = bytes < bytesAll ? `${left} s left` : 'sent, being written'
    return { sent: size(bytes), all: size(bytesAll), rate: size(perSecond), remaining, records }
  }
  bar.start(Math.max(bytesAll, 1), 0, shown())
  void watch()
  return {
    sent(more) {
      bytes += more
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
