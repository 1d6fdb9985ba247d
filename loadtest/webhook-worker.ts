// Owns a process that delivers webhooks and is killed for it: the service as it runs in production, alone, at a pace of the
// caller's. `node loadtest/webhook-worker.ts <database URL> <SECRET_KEY> <pace as JSON>`; says "ready" and works until a signal.
import { readConfig } from '#broker/config'
import { openLog } from '#broker/log'
import { run, stopOnSignal } from '#broker/run'
import { makeWebhooks } from '../services/webhooks/service.ts'

const [databaseUrl = '', secretKey = '', pace = '{}'] = process.argv.slice(2)
const env = {
  DATABASE_URL: databaseUrl,
  SECRET_KEY: secretKey,
  OPS_PORT: '0',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  DATA_DIR: '/nowhere',
}
const config = readConfig(env, 'embedded')
const log = openLog('fatal', 'webhook-worker')
const service = makeWebhooks({ pace: JSON.parse(pace) as object })
const running = await run({ services: [service], settings: { ...config, secretKey }, log })
stopOnSignal(running.stop, log)
process.stdout.write('ready\n')
