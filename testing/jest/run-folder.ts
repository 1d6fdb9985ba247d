// The folder of all temporary files of a test run. It is in memory where there is room: a database is cloned for each test file, and
// its files cost ten times as much on a disk.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { processMark } from '#postgres/embedded/process-identity'

const memory = '/dev/shm'
const bytesMin = 4 * 2 ** 30 // A run keeps at most a quarter of it at a time.
const prefix = 'storefront-test-'

/** Makes the folder, and removes those of runs that were killed. */
export function makeRunFolder(): string {
  const parent = hasRoom() ? memory : tmpdir()
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : Number.NaN
    if (pid > 0 && processMark(pid) === null) rmSync(join(parent, name), { recursive: true, force: true })
  }
  const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`))
  chmodSync(folder, 0o711) // A PostgreSQL that root starts runs as another user.
  return folder
}

function hasRoom(): boolean {
  const probe = join(memory, `storefront-probe-${process.pid}`)
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (Math.min(bavail * bsize, freemem()) < bytesMin) return false
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 })
    return spawnSync(probe).status === 0 // Containers often forbid programs there.
  } catch {
    return false
  } finally {
    rmSync(probe, { force: true })
  }
}
