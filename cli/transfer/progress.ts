// The progress of an import on stderr: a bar on a terminal, else a line now and then.
import { Presets, SingleBar } from 'cli-progress'
import type { ImportRecord } from '#contracts/objects/import-record'

export type Progress = {
  /** More bytes of the file are sent. */
  sent(bytes: number): void
  /** How far the import is. */
  show(record: ImportRecord): void
  /** Ends the bar; repeated calls do nothing. */
  stop(): void
}
type Step = {
  what: string
  done: number
  all: number
  doneText: string
  allText: string
  rate: string
  remaining: string
}

const LINE_MS = 5_000

/** Of a file with so many bytes. Short imports write no line. */
export function openProgress(bytesAll: number): Progress {
  const began = performance.now()
  let bytes = 0
  const draw = process.stderr.isTTY === true ? openBar() : openLines()
  return {
    sent(more) {
      bytes += more
      draw.step(sendingOf(bytes, bytesAll, performance.now() - began))
    },
    show: (record) => draw.step(stepOf(record)),
    stop: draw.stop,
  }
}

/** What is shown while the file is sent. */
export function sendingOf(done: number, all: number, ms: number): Step {
  const perSecond = done / Math.max(ms / 1_000, 0.001)
  const left = perSecond > 0 ? Math.ceil((all - done) / perSecond) : null
  return {
    what: 'sending',
    done,
    all,
    doneText: size(done),
    allText: size(all),
    rate: `${size(perSecond)}/s`,
    remaining: remainingOf(left),
  }
}

/** What is shown of an import that waits or runs. */
export function stepOf({ phase, processed, total, recordsPerSecond, etaSeconds }: ImportRecord): Step {
  return {
    what: phase,
    done: processed,
    all: total ?? 0,
    doneText: String(processed),
    allText: total === null ? '?' : String(total),
    rate: recordsPerSecond === null ? '' : `${Math.round(recordsPerSecond)} rows/s`,
    remaining: phase === 'writing' ? remainingOf(etaSeconds) : '',
  }
}

function remainingOf(seconds: number | null): string {
  if (seconds === null) return ''
  if (seconds < 120) return `${seconds}s left`
  return seconds < 7_200 ? `${Math.round(seconds / 60)}min left` : `${Math.round(seconds / 3_600)}h left`
}

function openBar() {
  const bar = new SingleBar(
    {
      // Fits 80 columns.
      format: '{what} {bar} {percentage}% {doneText}/{allText} {rate} {remaining}',
      barsize: 16,
      stream: process.stderr,
      hideCursor: true,
    },
    Presets.shades_classic,
  )
  let isOpen = false
  return {
    step(step: Step) {
      const all = Math.max(step.all, step.done, 1)
      if (!isOpen) bar.start(all, step.done, step)
      isOpen = true
      bar.setTotal(all)
      bar.update(step.done, step)
    },
    stop() {
      if (isOpen) bar.stop()
      isOpen = false
    },
  }
}

function openLines() {
  let last = performance.now()
  return {
    step({ what, doneText, allText, rate, remaining }: Step) {
      if (performance.now() - last < LINE_MS) return
      last = performance.now()
      const facts = [`${doneText} of ${allText}`, rate, remaining].filter((text) => text !== '')
      process.stderr.write(`${what}: ${facts.join(', ')}\n`)
    },
    stop: () => undefined,
  }
}

function size(bytes: number): string {
  if (bytes < 1_024) return `${Math.round(bytes)} B`
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`
}
