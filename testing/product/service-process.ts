// A process that runs one service alone, as in production, for tests that kill it (replica.ts). Its settings are its environment.
// `node testing/product/service-process.ts <service> <namespace>` writes "ready <port>" and works until a signal.
import { readConfig } from '#config/config'
import { startProcess } from '#runtime/process'
import { endWithStarter, stopOnSignal } from '#runtime/process-end'
import { openLog } from '#telemetry/log'
import { services } from '../../deploy/services.ts'

const [name = '', namespace = ''] = process.argv.slice(2)
const service = services.find((one) => one.name === name)
if (service === undefined) throw new Error(`There is no service ${name}.`)
endWithStarter()
const needs = { database: service.storage !== null, adminToken: service.needsAdminToken }
const settings = readConfig(process.env, 'service', needs)
const log = openLog('fatal', name)
const running = await startProcess({ services: [service], settings, log, namespace })
stopOnSignal(running.stop, log)
process.stdout.write(`ready ${running.ports[name] ?? 0}\n`)
