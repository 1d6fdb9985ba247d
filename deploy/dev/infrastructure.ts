// Owns what stands below the services when nothing is configured: the database in the data folder and the made secrets.
// run.md, Environment: DATABASE_URL, SECRET_KEY and ADMIN_TOKEN are made on first start in embedded mode.
import type { Config } from '#config/config'
import type { Settings } from '#runtime/service'
import type { Log } from '#telemetry/log'
import { keepSecret } from '#config/generated-secrets'
import { startEmbedded } from '#postgres/embedded/embedded'
import { lockFolder } from '#postgres/embedded/folder-lock'

export type Ground = { settings: Settings & { databaseUrl: string; adminToken: string }; stop(): Promise<void> }

/** Starts what is missing and fills the settings. Throws one clear line when the data folder is in use. */
export async function prepareGround(config: Config, log: Log): Promise<Ground> {
  const database =
    config.databaseUrl === null
      ? await startEmbedded({ dataDir: config.dataDir, log: (line) => log.info(line) })
      : given(config)
  const settings = {
    ...config,
    databaseUrl: database.url,
    secretKey: config.secretKey ?? keepSecret(config.dataDir, 'SECRET_KEY'),
    adminToken: config.adminToken ?? keepSecret(config.dataDir, 'ADMIN_TOKEN'),
  }
  return { settings, stop: () => database.stop() }
}

function given(config: Config): { url: string; stop(): Promise<void> } {
  const lock = lockFolder(config.dataDir)
  return { url: config.databaseUrl ?? '', stop: async () => lock.release() }
}
