// What the command line shows: tables and fields, aligned on a terminal and tab-separated for other programs, and the progress
// bar of an import.
import { setInterval as ticks } from 'node:timers/promises'
import { Presets, SingleBar } from 'cli-progress'

/** Writes a head and rows to stdout. */
export function showTable(head: string[], rows: (string | number | boolean | null | undefined)[][]): void {
  const cells = rows.map((row) => row.map((value) => plain(value ?? '-')))
  if (process.stdout.isTTY !== true) {
    process.stdout.write([head, ...cells].map((row) => `${row.join('\t')}\n`).join(''))
    return
  }
  const widths = head.map((title, index) => Math.max(title.length, ...cells.map((row) => row[index]?.length ?? 0)))
  const line = (row: string[]) =>
    row
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  process.stdout.write(
    `${[line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')}\n`,
  )
}

/** Writes one object to stdout, a line for each field. */
export function showFields(fields: [string, string | number | boolean | null | undefined][]): void {
  const width = Math.max(...fields.map(([name]) => name.length))
  const isTerminal = process.stdout.isTTY === true
  for (const [name, value] of fields) {
    process.stdout.write(`${isTerminal ? name.padEnd(width + 2) : `${name}\t`}${plain(value ?? '-')}\n`)
  }
}

// Data of shops and files may contain control characters, which a terminal would interpret.
function plain(value: string | number | boolean): string {
  return String(value).replace(/\p{Cc}+/gu, ' ')
}

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

/** Counts the records of a CSV file while it is sent: line breaks outside of quotes, without the header. An estimate. */
type RecordCount = { add(chunk: Uint8Array): void; records(): number }

export function openRecordCount(): RecordCount {
  let lines = 0
  let isQuoted = false
  let last = newline
  return {
    add(chunk) {
      for (const byte of chunk) {
        if (byte === quote) isQuoted = !isQuoted
        else if (byte === newline && !isQuoted) lines += 1
      }
      last = chunk.at(-1) ?? last
    },
    records: () => Math.max(lines - 1 + (last === newline ? 0 : 1), 0),
  }
}

const quote = 0x22
const newline = 0x0a
