// NODE_COMPILE_CACHE=<folder> node deploy/image/compile.ts: fills Node's compile cache with all code of the services. A process
// that finds its code there does not load the type stripper, which saves about 30 MB, and starts sooner. An entry is valid for
// one version of Node and one user; without an entry Node compiles at the start.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { registry } from '../registry.ts'

const root = join(import.meta.dirname, '../..')
const cache = getCompileCacheDir() // A subfolder of NODE_COMPILE_CACHE.
if (cache === undefined) throw new Error('NODE_COMPILE_CACHE must name the folder of the cache.')

// Without settings each program loads its modules, reports the missing settings, and ends.
for (const { name } of registry) {
  const options = { cwd: root, env: { NODE_COMPILE_CACHE: dirname(cache) }, encoding: 'utf8' } as const
  const { status, stderr } = spawnSync(process.execPath, [`services/${name}/main.ts`], options)
  if (status !== 1 || !stderr.includes('NATS_URL')) throw new Error(`${name} ended with ${status}: ${stderr}`)
}

// Modules that a service imports later are libraries. The file of a thread throws outside of a thread, but is compiled first.
for (const file of globSync('libs/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })) {
  const loading = import(join(root, file))
  await (file.endsWith('-thread.ts') ? loading.catch(() => undefined) : loading)
}
