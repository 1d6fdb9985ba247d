// Owns `npm start`: the whole product in one process, on a bare machine, with nothing configured.
// run.md, Commands.
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { startProcess } from '#runtime/process'
import { stopOnSignal } from '#runtime/signals'
import { traceFieldsOf } from '#telemetry/trace-context'
import { banner } from './banner.ts'
import { fillDemo } from '../demo/demo.ts'
import { prepareGround } from './infrastructure.ts'
import { services } from '../services.ts'

const began = performance.now()
try {
  const config = readConfig(process.env, 'embedded')
  const log = openLog(config.logLevel, 'storefront', undefined, traceFieldsOf(config))
  const ground = await prepareGround(config, log)
  const running = await startProcess({ services, settings: ground.settings, log })
  const stop = async () => {
    await running.stop()
    await ground.stop()
  }
  stopOnSignal(stop, log)
  const { adminToken, dataDir, demo } = ground.settings
  const adminUrl = `http://127.0.0.1:${running.ports['admin-gateway']}`
  const { publicUrl } = ground.settings // With PORT=0 it is right from now on.
  const tell = (line: string) => log.info(`demo shop: ${line}`)
  const keys = demo ? await fillDemo({ adminUrl, adminToken, dataDir }, tell) : null
  process.stdout.write(
    banner({ publicUrl, mcpUrl: publicUrl, adminUrl, adminToken, keys, seconds: (performance.now() - began) / 1_000 }),
  )
} catch (error) {
  process.stderr.write(`storefront: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
