// The progress bar of an import.
import { setInterval as ticks } from 'node:timers/promises'
import { Presets, SingleBar } from 'cli-progress'

export type Progress = {
  sent(chunk: Buffer): void
  /** Ends the bar, at `records` where the number is known. Repeated calls do nothing. */
  stop(records: number | null): void
}
type Phase = { began: number; done: number; all: number; unit: 'bytes' | 'records' }

const POLL_MS = 1_000

/**
 * A progress bar on stderr: first the bytes sent, then the records written, each with its rate and the remaining time. Without
 * a terminal it shows nothing. `recordsSoFar` reads the number of written records; an error in it is ignored.
 */
export function openProgress(bytesAll: number, recordsSoFar: () => Promise<number>): Progress {
  if (process.stderr.isTTY !== true) return { sent: () => undefined, stop: () => undefined }
  const bar = new SingleBar(
    {
      // Fits 80 columns.
      format: '{unit} {bar} {percentage}% {done}/{all} {rate}/s {remaining}',
      barsize: 16,
      stream: process.stderr,
      hideCursor: true,
    },
    Presets.shades_classic,
  )
  const polling = new AbortController()
  const counted = openRecordCount()
  let phase: Phase = { began: performance.now(), done: 0, all: Math.max(bytesAll, 1), unit: 'bytes' }
  bar.start(phase.all, 0, textOf(phase, performance.now()))
  void poll()
  return {
    sent(chunk) {
      counted.add(chunk)
      phase.done += chunk.length
      draw()
    },
    stop(final) {
      if (polling.signal.aborted) return
      polling.abort()
      if (final !== null) showRecords(final, final)
      draw()
      bar.stop()
    },
  }

  function draw(): void {
    bar.update(phase.done, textOf(phase, performance.now()))
  }

  function showRecords(done: number, all: number): void {
    const began = phase.unit === 'records' ? phase.began : performance.now()
    phase = { began, done, all: Math.max(all, done, 1), unit: 'records' }
    bar.setTotal(phase.all)
  }

  async function poll(): Promise<void> {
    const { signal } = polling
    try {
      for await (const _ of ticks(POLL_MS, undefined, { signal })) {
        if (phase.unit === 'bytes' && phase.done < phase.all) continue
        const records = await recordsSoFar().catch(() => phase.done)
        if (signal.aborted) return
        showRecords(phase.unit === 'bytes' ? 0 : records, counted.records())
        draw()
      }
    } catch (error) {
      if (!signal.aborted) throw error // The abort of stop() rejects the wait.
    }
  }
}

/** The text beside the bar at the instant `now` (milliseconds). */
export function textOf({ began, done, all, unit }: Phase, now: number) {
  const format = unit === 'bytes' ? size : (count: number) => String(Math.round(count))
  const perSecond = done / Math.max((now - began) / 1_000, 0.001)
  const left = Math.ceil((all - done) / Math.max(perSecond, 0.001))
  const remaining = done >= all ? 'done' : done === 0 ? 'starting' : `${left}s left`
  return {
    unit: unit === 'bytes' ? 'sending' : 'records',
    done: format(done),
    all: format(all),
    rate: format(perSecond),
    remaining,
  }
}

function size(bytes: number): string {
  if (bytes < 1_024) return `${Math.round(bytes)} B`
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`
}

/** Counts the records of a CSV file while it is sent: line ends outside of quotes, without the header. An estimate. */
type RecordCount = { add(chunk: Uint8Array): void; records(): number }

export function openRecordCount(): RecordCount {
  let feeds = 0
  let returns = 0
  let isQuoted = false
  let last = newline
  return {
    add(chunk) {
      for (const byte of chunk) {
        if (byte === quote) isQuoted = !isQuoted
        else if (byte === newline && !isQuoted) feeds += 1
        else if (byte === carriageReturn && !isQuoted) returns += 1
      }
      last = chunk.at(-1) ?? last
    },
    records() {
      const isEnded = last === newline || (feeds === 0 && last === carriageReturn)
      return Math.max((feeds || returns) - 1 + (isEnded ? 0 : 1), 0)
    },
  }
}

const quote = 0x22
const newline = 0x0a
const carriageReturn = 0x0d
