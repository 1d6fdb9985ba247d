// A disk that can be full: a tablespace in memory on which PostgreSQL keeps its rows, but not its log. It has space for a day of load; to
// fill it, its size becomes what is used and a little more, which is taken. Mounting it needs root; the real disk is never filled.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

export type SmallDisk = {
  /** Keeps it full until `clear`. */
  fill(): void
  clear(): void
  /** Unmounts it; the server has stopped. */
  remove(): void
}

const SIZE_KB = 8 * 1024 * 1024 // Takes only the memory that is used.
const LEFT_KB = 1024
const REFILL_MS = 50 // What a vacuum frees meanwhile is taken again.
const step = Buffer.alloc(4_096)

/** Mounts one and moves the database there, which nobody may use yet. Returns the reason where that is impossible. */
export async function openSmallDisk(databaseUrl: string): Promise<SmallDisk | string> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount a small disk'
  const maintenance = new URL(databaseUrl)
  const name = maintenance.pathname.slice(1)
  maintenance.pathname = '/postgres'
  const db = new pg.Client({ connectionString: maintenance.href })
  await db.connect()
  try {
    const { rows } = await db.query<{ pid: number }>('select pg_backend_pid() as pid')
    const { uid, gid } = statSync(`/proc/${rows[0]?.pid}`) // Of the server's own user.
    const folder = mkdtempSync(join(tmpdir(), 'storefront-small-disk-'))
    const options = `size=${SIZE_KB}k,mode=0700,uid=${uid},gid=${gid}`
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { encoding: 'utf8' })
    if (mounted.status !== 0) {
      rmdirSync(folder)
      return `a small disk could not be mounted: ${mounted.stderr.trim()}`
    }
    const disk = diskOn(folder)
    process.once('exit', () => disk.remove())
    await db.query(`create tablespace small location '${folder}'`)
    await db.query(`alter database ${name} set tablespace small`)
    return disk
  } finally {
    await db.end()
  }
}

function diskOn(folder: string): SmallDisk {
  const ballast = join(folder, 'ballast')
  let timer: NodeJS.Timeout | undefined
  let isThere = true
  return {
    fill() {
      const { bsize, blocks, bfree } = statfsSync(folder)
      resize(folder, Math.ceil(((blocks - bfree) * bsize) / 1024) + LEFT_KB)
      timer = setInterval(() => take(ballast), REFILL_MS)
    },
    clear() {
      clearInterval(timer)
      rmSync(ballast, { force: true })
      resize(folder, SIZE_KB)
    },
    remove() {
      if (!isThere) return
      isThere = false
      clearInterval(timer)
      spawnSync('umount', ['-l', folder]) // Lazily: a server that was killed may still use it.
      rmdirSync(folder)
    },
  }
}

function resize(folder: string, sizeKb: number): void {
  const { status, stderr } = spawnSync('mount', ['-o', `remount,size=${sizeKb}k`, folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The small disk could not be resized: ${stderr.trim()}`)
}

function take(file: string): void {
  const handle = openSync(file, 'a')
  try {
    while (writeSync(handle, step) === step.length) continue
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(handle)
  }
}
