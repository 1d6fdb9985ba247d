// Owns a process that delivers webhooks and is killed for it: the service as it runs in production, alone.
// `node loadtest/webhook-worker.ts <database URL> <SECRET_KEY> <delivery config as JSON> [<NATS URL> <namespace>]`; says "ready"
// and works until a signal. With a bus it also takes events over from those in its namespace.
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { startProcess } from '#runtime/process'
import { stopOnSignal } from '#runtime/signals'
import { makeWebhooks } from '../services/webhooks/service.ts'

const [databaseUrl = '', secretKey = '', deliveryConfig = '{}', natsUrl = '', namespace] = process.argv.slice(2)
const env = {
  DATABASE_URL: databaseUrl,
  NATS_URL: natsUrl,
  SECRET_KEY: secretKey,
  OPS_PORT: '0',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  DATA_DIR: '/nowhere',
}
const config = readConfig(env, 'embedded')
const log = openLog('fatal', 'webhook-worker')
const service = makeWebhooks({ config: JSON.parse(deliveryConfig) as object })
const settings = { ...config, secretKey }
const running = await startProcess({
  services: [service],
  settings,
  log,
  ...(namespace === undefined ? {} : { namespace }),
})
stopOnSignal(running.stop, log)
process.stdout.write('ready\n')
