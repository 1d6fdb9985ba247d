// What the services need when nothing is configured: a database in the data folder, and secrets that are generated on the first
// start and kept there.
import type { Config } from '#config/config'
import type { Settings } from '#runtime/service'
import type { Log } from '#telemetry/log'
import { keepSecret } from '#config/generated-secrets'
import { startEmbedded } from '#postgres/embedded/embedded'
import { lockFolder } from '#postgres/embedded/folder-lock'

export type Infrastructure = { settings: Settings & { databaseUrl: string; adminToken: string }; stop(): Promise<void> }

/** Starts the servers that are not configured and completes the settings. Throws when another process uses the data folder. */
export async function startInfrastructure(config: Config, log: Log): Promise<Infrastructure> {
  const database =
    config.databaseUrl === null
      ? await startEmbedded({ dataDir: config.dataDir, log: (line) => log.info(line) })
      : configured(config)
  const settings = {
    ...config,
    databaseUrl: database.url,
    databaseFolder: config.databaseUrl === null ? config.dataDir : undefined,
    secretKey: config.secretKey ?? keepSecret(config.dataDir, 'SECRET_KEY'),
    adminToken: config.adminToken ?? keepSecret(config.dataDir, 'ADMIN_TOKEN'),
  }
  return { settings, stop: () => database.stop() }
}

export { startInfrastructure as prepareGround }

function configured(config: Config): { url: string; stop(): Promise<void> } {
  const lock = lockFolder(config.dataDir)
  return { url: config.databaseUrl ?? '', stop: async () => lock.release() }
}
