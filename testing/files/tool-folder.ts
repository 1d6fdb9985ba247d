// Folders with tools that tests install from package registries: kept outside the tree between runs, one for each list of versions.
// A tool that cannot be installed fails the test.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder of a tool; `install` fills it where `versions` were not installed before. */
export function toolFolder(name: string, versions: string, install: (folder: string) => void): string {
  const kept = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'storefront-tests')
  const folder = join(kept, `${name}-${createHash('sha256').update(versions).digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) return folder
  const own = `${folder}.${process.pid}`
  mkdirSync(own, { recursive: true })
  install(own)
  symlinkSync(own, `${own}.link`)
  renameSync(`${own}.link`, folder) // Appears whole, also when two runs install at once.
  return folder
}

/** A virtual environment of Python with the packages of a requirements file; returns its `bin`. */
export function pythonWith(name: string, requirements: string): string {
  const folder = toolFolder(name, requirements, (at) => {
    execFileSync('python3', ['-m', 'venv', at])
    const packages = requirements.trim().split('\n')
    execFileSync(join(at, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages])
  })
  return join(folder, 'bin')
}
