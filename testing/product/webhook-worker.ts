// A process that runs the webhooks service alone, as in production, for tests that kill it.
// `node testing/product/webhook-worker.ts <database URL> <SECRET_KEY> <delivery config as JSON> [<NATS URL> <namespace>]` writes
// "ready" and works until a signal. With a bus it also takes events over from the services in its namespace.
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { startProcess } from '#runtime/process'
import { stopOnSignal } from '#runtime/process-end'
import { makeWebhooks } from '../../services/webhooks/service.ts'

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
