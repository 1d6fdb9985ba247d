// `npm start`: all services in one process, with nothing configured. docs/spec/running.md#commands
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig, urlHost } from '#config/config'
import { openLog } from '#telemetry/log'
import { failToStart, stopOnSignal } from '#runtime/process-end'
import { traceFieldsOf } from '#telemetry/trace-context'
import { banner } from './banner.ts'
import { fillDemoShop, signInUrlOf } from './demo-shop.ts'
import { openDemo } from '../demo/demo.ts'
import { openDemoReceiver, RECEIVER_PORT } from '../demo/receiver.ts'
import { startInfrastructure } from './infrastructure.ts'
import { buildConsole } from '../../console/build.ts'

const STOP_MS = 9_000
const FILLING_STOP_MS = 1_000
const SERVICES_STOP_MS = 6_000 // The database, which stops after them, needs the rest.

const stops: (() => Promise<void>)[] = []
let stopping: AbortSignal | null = null
try {
  const config = readConfig(process.env, 'embedded')
  await buildConsole()
  const log = openLog(config.logLevel, 'storefront', undefined, traceFieldsOf(config))
  const stop = async () => {
    for (const end of stops.toReversed()) await end()
  }
  const signal = stopOnSignal(stop, log, { withinMs: STOP_MS, withParent: process.env.npm_lifecycle_event === 'start' })
  stopping = signal
  // The services take a second to load, in which PostgreSQL creates its cluster.
  const [infrastructure, { services }, { startProcess }] = await Promise.all([
    startInfrastructure(config, log),
    import('../services.ts'),
    import('#runtime/process'),
  ])
  stops.push(infrastructure.stop)
  signal.throwIfAborted()
  const receiver = config.demo ? await openDemoReceiver(config.port === 0 ? 0 : RECEIVER_PORT) : null
  if (receiver !== null) stops.push(receiver.stop)
  const settings = { ...infrastructure.settings, webhookAllowedOrigin: receiver?.origin }
  const running = await startProcess({ services, settings, log })
  stops.push(() => Promise.race([running.stop(), sleep(SERVICES_STOP_MS, undefined, { ref: false })]))
  signal.throwIfAborted()
  const { adminToken, dataDir, demo } = settings
  const urlOf = (gateway: string) => `http://${urlHost(config.host)}:${running.ports[gateway]}`
  const adminUrl = urlOf('admin-gateway')
  const { publicUrl } = settings // Names the real port from now on, also with PORT=0.
  const admin = { adminUrl, adminToken, dataDir, signal }
  const shop = demo ? await openDemo(admin) : null
  const signInUrl = signInUrlOf(shop, config.consoleUrl ?? adminUrl)
  const seconds = performance.now() / 1_000 // Since the process began.
  process.stdout.write(
    banner({ publicUrl, mcpUrl: publicUrl, adminUrl, adminToken, signInUrl, keys: shop?.keys ?? null, seconds }),
  )
  if (shop !== null && receiver !== null) {
    const around = { restUrl: urlOf('rest-gateway'), mcpUrl: urlOf('mcp-gateway'), receiver }
    const filling = fillDemoShop(admin, shop, around, log)
    // Its request under way is answered before the services stop.
    stops.push(() => Promise.race([filling, sleep(FILLING_STOP_MS, undefined, { ref: false })]))
    await filling
  }
} catch (error) {
  if (stopping?.aborted !== true) failToStart('storefront', error)
}
