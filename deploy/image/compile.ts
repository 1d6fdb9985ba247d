// Owns the compiling of the services ahead of their starts. Node strips the types of each file and compiles it when it is
// loaded, and keeps what came out where NODE_COMPILE_CACHE says. A process that finds it there needs some 30 MB less, as it
// never loads the stripper, and is up sooner. What is kept belongs to one version of Node and one user: other ones
// compile for themselves, as all do where nothing is kept.
// NODE_COMPILE_CACHE=<folder> node deploy/image/compile.ts
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { startWatchdog } from '#runtime/watchdog'

const root = join(import.meta.dirname, '../..')
const own = getCompileCacheDir() // Of this version of Node and this user, in the folder of all.
if (own === undefined) throw new Error('NODE_COMPILE_CACHE names the folder in which to keep what was compiled.')

// Without settings each loads all that it is made of, says what it lacks, and ends; then its modules are kept.
for (const program of globSync('services/*/main.ts', { cwd: root }).sort()) {
  const env = { NODE_COMPILE_CACHE: dirname(own) }
  const { status, stderr } = spawnSync(process.execPath, [program], { cwd: root, env, encoding: 'utf8' })
  if (status !== 1 || !stderr.includes('NATS_URL')) throw new Error(`${program} ended with ${status}: ${stderr}`)
}
// What they load later, once they know their settings.
for (const file of globSync('libs/{admission,calls,config,http,mail,outbox,postgres,runtime,telemetry}/*.ts', {
  cwd: root,
})) {
  if (!/\.test\.ts$|-thread\.ts$/.test(file)) await import(join(root, file))
}
// A thread is a file of its own, which only a service that has started loads.
const watchdog = startWatchdog('compile')
setTimeout(() => watchdog.stop(), 1_000)
