// Owns what every test run needs once: a real PostgreSQL. DATABASE_URL when it is set, else the embedded one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '#postgres/embedded/embedded'

let teardownWork: () => Promise<void> = async () => undefined

export default async function setup(): Promise<void> {
  if (process.env.DATABASE_URL) {
    process.env.TEST_DATABASE_URL = process.env.DATABASE_URL
    return
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'storefront-test-'))
  const server = await startEmbedded({ dataDir, log: () => undefined })
  process.env.TEST_DATABASE_URL = server.url
  teardownWork = async () => {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

export const teardown = () => teardownWork()
