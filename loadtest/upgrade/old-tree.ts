// A checkout of another commit in a temporary folder, with its packages, for programs that run two releases side by side.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../process.ts'

export type Checkout = { tree: string; commit: string; remove(): void }

/** Checks the commit out; its packages are those of this checkout where the lock files are equal, and installed otherwise. */
export function checkOut(commit: string): Checkout {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const sha = git('rev-parse', '--short=8', `${commit}^{commit}`)
  const folder = mkdtempSync(join(tmpdir(), 'storefront-upgrade-'))
  const tree = join(folder, 'tree')
  git('worktree', 'add', '--quiet', '--detach', tree, sha)
  const remove = () => {
    git('worktree', 'remove', '--force', tree)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    install(tree)
  } catch (error) {
    remove()
    throw error
  }
  return { tree, commit: sha, remove }
}

// The console is built by the builder of the checkout, as `npm ci` does it.
function install(tree: string): void {
  const lock = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: tree, stdio: 'pipe' })
  const modules = join(root, 'node_modules')
  if (lock(tree) === lock(root) && existsSync(modules)) {
    symlinkSync(modules, join(tree, 'node_modules'))
    run(process.execPath, 'console/build.ts')
    return
  }
  // npm stands beside the program of Node, or on the PATH.
  const own = join(dirname(process.execPath), 'npm')
  run(existsSync(own) ? own : 'npm', 'ci', '--no-audit', '--no-fund')
}
