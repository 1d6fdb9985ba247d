// Whether the process with a number is still the same process. After a crash or a reboot the system gives the number to another
// program; the start time of the process together with the id of the boot is unique.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const unknown = 'unknown'

/** A mark that no other process with this number has ever had; null when no such process runs (a zombie does not run). */
export function processMark(pid: number): string | null {
  return existsSync('/proc/self/stat') ? markFromProc(pid) : markFromPs(pid)
}

/** Whether the process with this number and mark still runs. True when in doubt. */
export function stillRuns(pid: number, mark: string): boolean {
  const now = processMark(pid)
  return now !== null && (now === mark || now === unknown || mark === unknown)
}

function markFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program's name stands in brackets and may itself contain blanks and brackets: read on after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state] = fields
    const startTicks = fields[19]
    if (state === 'Z' || state === 'X' || startTicks === undefined) return null
    return `${bootId()}:${startTicks}`
  } catch {
    // A system may hide foreign processes from /proc; then only a signal shows whether they exist.
    return answersSignals(pid) ? unknown : null
  }
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
}

function markFromPs(pid: number): string | null {
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return started === '' ? null : started
  } catch {
    // ps ends with 1 when there is no such process, and is missing on some systems.
    return answersSignals(pid) ? unknown : null
  }
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
