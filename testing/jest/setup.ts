// What a test run needs once: a folder for temporary files, a real PostgreSQL (DATABASE_URL when it is set, else the embedded one)
// and a migrated database that each test file clones. The embedded server does not wait for the disk: nothing of a test run has to
// survive a power failure.
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Embedded, startEmbedded } from '#postgres/embedded/embedded'
import { migrate } from '#postgres/migrate'
import { services } from '../../deploy/services.ts'
import { buildConsole } from '../../console/build.ts'
import { onServer } from '../database.ts'
import { makeRunFolder } from './run-folder.ts'

let teardownWork: () => Promise<void> = async () => undefined

export default async function setup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'storefront-compiled') // For the workers, and for what they start (child-env.ts).
  await buildConsole()
  const folder = makeRunFolder()
  process.env.TMPDIR = folder
  const server = process.env.DATABASE_URL
    ? { url: process.env.DATABASE_URL, stop: async () => undefined }
    : await ownServer(join(folder, 'server'))
  const template = `test_template_${randomUUID().replaceAll('-', '')}`
  await onServer(server.url, `create database ${template}`)
  const url = new URL(server.url)
  url.pathname = `/${template}`
  for (const { storage } of services) if (storage !== null) await migrate(storage, url.href)
  process.env.TEST_DATABASE_URL = server.url
  process.env.TEST_TEMPLATE_DATABASE = template
  teardownWork = async () => {
    await onServer(server.url, `drop database if exists ${template} with (force)`)
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function ownServer(dataDir: string): Promise<Embedded> {
  const settings = [
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'wal_level=minimal',
    'max_wal_senders=0',
  ]
  return startEmbedded({ dataDir, log: () => undefined, settings })
}

export const teardown = () => teardownWork()
