// Owns the bar of an import on a terminal: first the bytes that are sent, then the records that are written over there, each
// with its rate and what remains. Where no terminal watches nothing is drawn.
import { setInterval as ticks } from 'node:timers/promises'
import { Presets, SingleBar } from 'cli-progress'
import { openRecordCount } from './record-count.ts'

export type Progress = {
  sent(chunk: Buffer): void
  /** Ends the bar; a second time does nothing. */
  stop(records: number | null): void
}
type Phase = { began: number; done: number; all: number; unit: 'bytes' | 'records' }

const POLL_MS = 1_000

/** `recordsSoFar` asks how far the other side is; what it throws only costs one look. */
export function openProgress(bytesAll: number, recordsSoFar: () => Promise<number>): Progress {
  if (process.stderr.isTTY !== true) return { sent: () => undefined, stop: () => undefined }
  const bar = new SingleBar(
    {
      // All of it fits the 80 columns of a plain terminal.
      format: '{word} {bar} {percentage}% {done}/{all} {rate}/s {remaining}',
      barsize: 16,
      stream: process.stderr,
      hideCursor: true,
    },
    Presets.shades_classic,
  )
  const watching = new AbortController()
  const counted = openRecordCount()
  let phase: Phase = { began: performance.now(), done: 0, all: Math.max(bytesAll, 1), unit: 'bytes' }
  bar.start(phase.all, 0, shown(phase, performance.now()))
  void watch()
  return {
    sent(chunk) {
      counted.add(chunk)
      phase.done += chunk.length
      draw()
    },
    stop(final) {
      if (watching.signal.aborted) return
      watching.abort()
      if (final !== null) turnToRecords(final, final)
      draw()
      bar.stop()
    },
  }

  function draw(): void {
    bar.update(phase.done, shown(phase, performance.now()))
  }

  function turnToRecords(done: number, all: number): void {
    const began = phase.unit === 'records' ? phase.began : performance.now()
    phase = { began, done, all: Math.max(all, done, 1), unit: 'records' }
    bar.setTotal(phase.all)
  }

  async function watch(): Promise<void> {
    const { signal } = watching
    try {
      for await (const _ of ticks(POLL_MS, undefined, { signal })) {
        if (phase.unit === 'bytes' && phase.done < phase.all) continue
        const records = await recordsSoFar().catch(() => phase.done)
        if (signal.aborted) return
        turnToRecords(phase.unit === 'bytes' ? 0 : records, counted.records())
        draw()
      }
    } catch (error) {
      if (!signal.aborted) throw error // An aborted wait is how the watching ends.
    }
  }
}

/** What stands beside the bar at an instant. */
export function shown({ began, done, all, unit }: Phase, now: number) {
  const write = unit === 'bytes' ? size : (count: number) => String(Math.round(count))
  const perSecond = done / Math.max((now - began) / 1_000, 0.001)
  const left = Math.ceil((all - done) / Math.max(perSecond, 0.001))
  const remaining = done >= all ? 'done' : done === 0 ? 'starting' : `${left}s left`
  const word = unit === 'bytes' ? 'sending' : 'records'
  return { word, done: write(done), all: write(all), rate: write(perSecond), remaining }
}

function size(bytes: number): string {
  if (bytes < 1_024) return `${Math.round(bytes)} B`
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`
}
