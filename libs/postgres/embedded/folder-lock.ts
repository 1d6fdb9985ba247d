// One data folder serves one start at a time. docs/spec/running.md#embedded-mode
// The lock is a file that names its process; a lock whose process is gone (kill -9, power cut) is taken over. The file appears
// whole or not at all, because it is written under another name and then linked.
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { whyUnusable } from '#files/unusable'
import { processMark, stillRuns } from './process-identity.ts'

type Holder = { pid: number; mark: string }

/** Creates the folder when it is missing and locks it; throws one clear line when it cannot. */
export function lockFolder(dataDir: string): { release(): void } {
  const folder = resolve(dataDir)
  const file = join(folder, 'lock')
  const mine = JSON.stringify({ pid: process.pid, mark: processMark(process.pid) ?? 'unknown' })
  try {
    makeFolder(folder)
    while (!place(file, mine)) takeOverOrRefuse(folder, file)
  } catch (error) {
    const reason = whyUnusable(error)
    if (reason === null) throw error
    throw new Error(`The data folder ${folder} cannot be used: ${reason}. Set DATA_DIR to a folder that you may write.`)
  }
  let held = true
  return {
    release() {
      // Once only: a later lock of this same process has the same content, and the earlier holder must not remove it.
      if (held && read(file) === mine) rmSync(file, { force: true })
      held = false
    },
  }
}

// Creates the folder and those above it that are missing. `mkdirSync` with `recursive` never returns where the system answers ENOENT
// although the parent is there, as it does below /proc and some automounted folders.
function makeFolder(folder: string): void {
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
  }
}

function place(file: string, content: string): boolean {
  const aside = `${file}.${process.pid}`
  writeFileSync(aside, content, { mode: 0o644 })
  try {
    linkSync(aside, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(aside, { force: true })
  }
}

function takeOverOrRefuse(folder: string, file: string): void {
  const found = read(file)
  if (found === null) return
  const holder = parse(found)
  if (holder !== null && stillRuns(holder.pid, holder.mark)) {
    throw new Error(
      `The data folder ${folder} is in use by process ${holder.pid}. Stop that process or set DATA_DIR to another folder.`,
    )
  }
  // Two starts may see the same stale lock. Only one of them can move it away; if the other one moves the first one's new
  // lock instead, it notices that by its content and puts it back.
  const away = `${file}.stale.${process.pid}`
  try {
    renameSync(file, away)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const moved = read(away)
  if (moved !== null && moved !== found) place(file, moved)
  rmSync(away, { force: true })
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function parse(content: string): Holder | null {
  try {
    const { pid, mark } = JSON.parse(content) as Partial<Holder>
    return typeof pid === 'number' && pid > 0 && typeof mark === 'string' ? { pid, mark } : null
  } catch {
    // Any other content names no process, so the lock is free.
    return null
  }
}
