// A process that runs an admin gateway alone, as in production, for tests that kill it in the middle of an import.
// `node testing/product/import-gateway.ts <NATS URL> <namespace> <SECRET_KEY> <ADMIN_TOKEN>` writes "ready <port>" and works until a signal.
import { readConfig } from '#config/config'
import { startProcess } from '#runtime/process'
import { stopOnSignal } from '#runtime/process-end'
import { openLog } from '#telemetry/log'
import { adminGateway } from '../../services/admin-gateway/service.ts'

const [natsUrl = '', namespace = '', secretKey = '', adminToken = ''] = process.argv.slice(2)
const env = {
  NATS_URL: natsUrl,
  SECRET_KEY: secretKey,
  ADMIN_TOKEN: adminToken,
  ADMIN_PORT: '0',
  OPS_PORT: '0',
  DATA_DIR: '/nowhere',
}
const config = readConfig(env, 'service', { database: false, adminToken: true })
const log = openLog('fatal', 'import-gateway')
const running = await startProcess({ services: [adminGateway], settings: { ...config, secretKey }, log, namespace })
stopOnSignal(running.stop, log)
process.stdout.write(`ready ${running.ports['admin-gateway']}\n`)
