// Ends a program that we started when this process ends for any reason, kill -9 included: the system then closes a pipe, and a
// waiting shell sends the signal.
import { spawn } from 'node:child_process'

type User = { uid?: number; gid?: number }

/** `signal` as the shell's `kill` names it; `user`: who may send it, by default the user of this process. */
export function endWithUs(pid: number, signal: 'INT' | 'TERM', exited: Promise<void>, user: User = {}): void {
  if (process.platform === 'win32') return
  const watcher = spawn('/bin/sh', ['-c', 'read line; kill -"$1" "$2"', 'sh', signal, String(pid)], {
    ...user,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.unref()
  const pipe = watcher.stdin
  if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
  void exited.then(() => watcher.kill('SIGKILL'))
}
