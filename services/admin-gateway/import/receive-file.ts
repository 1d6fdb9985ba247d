// POST /shops/{shop}/imports, whose body is a file: query, upload, import, answer (docs/spec/back-office.md#imports).
// `Idempotency-Key` is ignored, because an import may be repeated.
import type { ServiceContext } from '#runtime/service'
import type { CallMeta } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import { importQuery } from '#contracts/input/import'
import { limits } from '#contracts/limits'
import type { Calls } from '#calls/calls'
import type { GatewayContext } from '#http/exchange'
import { schemaReader } from '#http/query'
import { answer } from '#http/respond'
import { openParams } from '#schema/open'
import { formatNamed } from './formats/formats.ts'
import { runImport } from './run-import.ts'
import { withUpload } from './upload.ts'

export type ReceiveFile = (ctx: GatewayContext, meta: CallMeta) => Promise<void>
export type Imports = { receive: ReceiveFile; stop(): Promise<void> }

/** The imports of this process; `stop` ends the running ones and waits until their records are finished. */
export function openImports(context: ServiceContext, calls: Calls): Imports {
  const readQuery = schemaReader(importQuery, [], { unknown: 'refused' })
  // One controller each instead of AbortSignal.any, which holds its sources weakly: a source that is collected after its abort
  // would never be seen.
  const running = new Map<AbortController, Promise<Buffer>>()

  const receive: ReceiveFile = async (ctx, meta) => {
    const params = openParams(importQuery, readQuery(ctx.querystring))
    const format = params.format === undefined ? null : formatNamed(params.format)
    const dryRun = params.dry_run ?? false
    const options = {
      createContacts: params.create_contacts ?? false,
      defaultPaymentMethod: params.default_payment_method ?? 'bank_transfer',
    }
    if (running.size >= limits.importsAtOnce) throw busy()
    const caller = meta.caller
    if (caller === undefined) throw new Error('An import needs a shop.')
    const ending = new AbortController()
    whenGone(ctx, () => ending.abort('The import was stopped: its caller went away.'))
    const work = withUpload(ctx, ({ path, bytes }) =>
      runImport(calls.batch, context.log, {
        path,
        bytes,
        format,
        dryRun,
        options,
        caller,
        meta,
        signal: ending.signal,
      }),
    )
    running.set(ending, work)
    try {
      await answer(ctx, await work, 201)
    } finally {
      running.delete(ending)
    }
  }
  return {
    receive,
    async stop() {
      for (const ending of running.keys()) ending.abort('The import was stopped by a restart.')
      await Promise.allSettled(running.values())
    },
  }
}

function busy() {
  const words = `${limits.importsAtOnce} imports are under way here. Try again when one of them has finished.`
  return refuse('rate_limited', words, { retry_after_s: 10 })
}

function whenGone({ res }: GatewayContext, leave: () => void): void {
  if (res.closed) leave()
  else res.once('close', () => res.writableFinished || leave())
}
