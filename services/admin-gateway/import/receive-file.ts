// POST /shops/{shop}/imports, whose body is a file (docs/spec/back-office.md#imports): it is imported while its caller waits, or stored and
// queued for the workers of background.ts. `Idempotency-Key` is ignored, because an import may be repeated.
import type { ServiceContext } from '#runtime/service'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { CallMeta } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import { importQuery } from '#contracts/input/import'
import { limits } from '#contracts/limits'
import type { Calls } from '#calls/calls'
import type { GatewayContext } from '#http/exchange'
import { schemaReader } from '#http/query'
import { answer } from '#http/respond'
import { openParams } from '#schema/open'
import { openBackground } from './background.ts'
import { formatNamed } from './formats/formats.ts'
import { runImport } from './run-import.ts'
import { openRunning } from './running.ts'
import { Stop } from './stop.ts'
import { storeUpload } from './store-upload.ts'
import { withUpload } from './upload.ts'

export type ReceiveFile = (ctx: GatewayContext, meta: CallMeta) => Promise<void>
export type Imports = { receive: ReceiveFile; start(): void; stop(): Promise<void> }

/** The imports of this process; `stop` ends the running ones and waits until their records are finished or given back. */
export function openImports(context: ServiceContext, calls: Calls): Imports {
  const readQuery = schemaReader(importQuery, [], { unknown: 'refused' })
  const running = openRunning()
  const background = openBackground(context, calls, running)
  let arriving = 0

  const receive: ReceiveFile = async (ctx, meta) => {
    const {
      format,
      dry_run = false,
      background: inBackground,
      ...options
    } = openParams(importQuery, readQuery(ctx.querystring))
    if (inBackground === true) {
      if (arriving >= limits.importUploadsAtOnce) throw busy(limits.importUploadsAtOnce, 'files arrive')
      arriving += 1
      try {
        const params = { format: format ?? null, dry_run, options }
        await answer(ctx, asBuffer(await storeUpload(ctx, calls, params, meta)), 202)
      } finally {
        arriving -= 1
      }
      background.wake()
      return
    }
    const { caller } = meta
    if (running.size() >= limits.importsAtOnce) throw busy(limits.importsAtOnce, 'imports are under way')
    if (caller === undefined) throw new Error('An import needs a shop.')
    const ending = new AbortController()
    whenGone(ctx, () => ending.abort(new Stop('interrupted', 'The import was stopped: its caller went away.')))
    const work = withUpload(ctx, ({ path, bytes }) =>
      runImport(calls, context.log, {
        file: async () => path,
        bytes,
        format: format === undefined ? null : formatNamed(format),
        dryRun: dry_run,
        options: {
          createContacts: options.create_contacts ?? false,
          defaultPaymentMethod: options.default_payment_method ?? 'bank_transfer',
        },
        caller,
        meta,
        run: null,
        ending,
      }),
    )
    const stopped = new Stop('interrupted', 'The import was stopped by a restart.')
    const body = await running.hold(ending, stopped, work)
    if (body === null) throw refuse('conflict', 'This import was ended while it ran.')
    await answer(ctx, body, 201)
  }
  return {
    receive,
    start: background.start,
    async stop() {
      const stopped = background.stop()
      await running.stop()
      await stopped
    },
  }
}

function busy(count: number, what: string) {
  const words = `${count} ${what} here. Try again when one of them has finished.`
  return refuse('rate_limited', words, { retry_after_s: 10 })
}

function whenGone({ res }: GatewayContext, leave: () => void): void {
  if (res.closed) leave()
  else res.once('close', () => res.writableFinished || leave())
}
