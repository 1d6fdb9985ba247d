// `npm start`: all services in one process, with nothing configured. docs/spec/running.md#commands
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { startProcess } from '#runtime/process'
import { stopOnSignal } from '#runtime/signals'
import { traceFieldsOf } from '#telemetry/trace-context'
import { banner } from './banner.ts'
import { fillDemo } from '../demo/demo.ts'
import { startInfrastructure } from './infrastructure.ts'
import { services } from '../services.ts'

const began = performance.now()
try {
  const config = readConfig(process.env, 'embedded')
  const log = openLog(config.logLevel, 'storefront', undefined, traceFieldsOf(config))
  const infrastructure = await startInfrastructure(config, log)
  const running = await startProcess({ services, settings: infrastructure.settings, log })
  const stop = async () => {
    await running.stop()
    await infrastructure.stop()
  }
  stopOnSignal(stop, log)
  const { adminToken, dataDir, demo } = infrastructure.settings
  const adminUrl = `http://127.0.0.1:${running.ports['admin-gateway']}`
  const { publicUrl } = infrastructure.settings // Names the real port from now on, also with PORT=0.
  const report = (line: string) => log.info(`demo shop: ${line}`)
  const keys = demo ? await fillDemo({ adminUrl, adminToken, dataDir }, report) : null
  process.stdout.write(
    banner({ publicUrl, mcpUrl: publicUrl, adminUrl, adminToken, keys, seconds: (performance.now() - began) / 1_000 }),
  )
} catch (error) {
  process.stderr.write(`storefront: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
