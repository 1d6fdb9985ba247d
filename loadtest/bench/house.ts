// Owns what a measurement stands on: a PostgreSQL of its own with the same rows for all forms, and the shops' keys in a file.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findNatsServer } from '#runtime/nats-server'
import { startEmbedded } from '#postgres/embedded/embedded'
import type { Ground } from './form.ts'
import { seed } from './seed.ts'

export type House = { ground: Ground; shopsFile: string; natsProgram: string; stop(): Promise<void> }

/** Fills so many shops. `nodeArgs` are for the processes of the product. */
export async function openHouse(shopCount: number, nodeArgs: string[]): Promise<House> {
  const natsProgram = findNatsServer('')
  if (natsProgram === null) throw new Error('There is no nats-server (Debian: nats-server).')
  const folder = mkdtempSync(join(tmpdir(), 'storefront-bench-'))
  const { url: databaseUrl, stop: stopDatabase } = await startEmbedded({ dataDir: folder, log: () => undefined })
  const database = new pg.Client({ connectionString: databaseUrl })
  const stop = async () => {
    await database.end()
    await stopDatabase()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await database.connect()
    const secretKey = 'a secret of at least 32 characters.'
    const shopsFile = join(folder, 'shops.json')
    process.stderr.write(`filling ${shopCount} shops\n`)
    writeFileSync(shopsFile, JSON.stringify(await seed({ url: databaseUrl, secretKey, shopCount })))
    return { ground: { databaseUrl, database, secretKey, folder, nodeArgs }, shopsFile, natsProgram, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
