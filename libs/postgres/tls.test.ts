// TLS to a real PostgreSQL that asks for a client certificate: docs/spec/running.md#tls-to-postgresql
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readConfig } from '#config/config'
import { onServer, openClient } from '#testing/database'
import { makeCertificate } from '#testing/servers/certificate'
import type { QueryRunner } from 'typeorm'
import { connect, type Storage } from './connect.ts'
import { type Embedded, startEmbedded } from './embedded/embedded.ts'
import { chooseUser } from './embedded/system-user.ts'
import { migrate } from './migrate.ts'

const folder = mkdtempSync(join(tmpdir(), 'tls-'))
chmodSync(folder, 0o755) // The server may be another user.
const server = makeCertificate('localhost')
const client = makeCertificate('client')
const stranger = makeCertificate('stranger')
const login = "create role owner login superuser password 'only-for-tests'"
const rules = [
  'hostssl all owner all scram-sha-256 clientcert=verify-ca',
  'hostnossl all owner all reject',
  'host all all all scram-sha-256',
]
const storage: Storage = {
  schema: 'secured',
  entities: [],
  migrations: [
    class CreateThings1763600000000 {
      name = 'CreateThings1763600000000'

      async up(runner: QueryRunner): Promise<void> {
        await runner.query('create table things (id integer primary key)')
      }
    },
  ],
}
let postgres: Embedded
let url: string

function place(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

/** The URL with the files that the settings name. */
function urlWith(files: NodeJS.ProcessEnv): string {
  return readConfig({ DATABASE_URL: url, ...files }, 'embedded').databaseUrl ?? ''
}

beforeAll(async () => {
  const dataDir = join(folder, 'server')
  const { uid, gid } = chooseUser(join(dataDir, 'postgres/data'))
  const ofServer = (name: string, text: string) => {
    const path = place(name, text)
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
    return path
  }
  const settings = [
    'ssl=on',
    `ssl_cert_file=${ofServer('server.crt', server.cert)}`,
    `ssl_key_file=${ofServer('server.key', server.key)}`,
    `ssl_ca_file=${ofServer('clients.crt', client.cert)}`,
    `hba_file=${ofServer('hba.conf', `${rules.join('\n')}\n`)}`,
  ]
  postgres = await startEmbedded({ dataDir, log: () => undefined, settings })
  await onServer(postgres.url, login)
  const own = new URL(postgres.url)
  Object.assign(own, {
    hostname: 'localhost',
    username: 'owner',
    password: 'only-for-tests',
    search: '?sslmode=disable',
  })
  url = own.href
}, 120_000)
afterAll(async () => {
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('with its authority and a client certificate migrations, the pool, frequent reads and sessions use TLS', async () => {
  const files = {
    DATABASE_CA_FILE: place('ca.crt', server.cert),
    DATABASE_CERT_FILE: place('client.crt', client.cert),
    DATABASE_KEY_FILE: place('client.key', client.key),
  }
  const complete = urlWith(files)
  const { role, applied } = await migrate(storage, complete)
  expect(applied).toHaveLength(1)
  const database = await connect(storage, {
    url: complete,
    role,
    connectionsMax: 2,
    statementTimeoutMs: 15_000,
    onError: () => undefined,
  })
  const ask = 'select pg_backend_pid() as pid'
  const rows = [
    await database.rows<{ pid: number }>(ask),
    await database.reads.rows<{ pid: number }>(ask),
    await database.session((session) => session.rows<{ pid: number }>(ask)),
  ].flat()
  const admin = await openClient(postgres.url)
  const seen = 'select ssl, client_dn from pg_stat_ssl where pid = any($1)'
  const { rows: used } = await admin.query(seen, [rows.map(({ pid }) => pid)])
  await admin.close()
  expect(used.length).toBeGreaterThanOrEqual(2) // The pool may give the same connection twice.
  for (const one of used) expect(one).toEqual({ ssl: true, client_dn: '/CN=client' })
  await database.close()
})

test('a server that the authority does not vouch for, and a server that wants a certificate, are not connected to', async () => {
  const ca = place('other-ca.crt', stranger.cert)
  const known = place('known-ca.crt', server.cert)
  await expect(migrate(storage, urlWith({ DATABASE_CA_FILE: ca }))).rejects.toThrow(/certificate is not trusted/)
  await expect(migrate(storage, urlWith({ DATABASE_CA_FILE: known }))).rejects.toThrow(/cannot be reached/)
  await expect(migrate(storage, url)).rejects.toThrow(/cannot be reached/)
  const pair = {
    DATABASE_CERT_FILE: place('stranger.crt', stranger.cert),
    DATABASE_KEY_FILE: place('stranger.key', stranger.key),
  }
  await expect(migrate(storage, urlWith({ DATABASE_CA_FILE: known, ...pair }))).rejects.toThrow(/cannot be reached/)
})
