// Imports in the background (docs/spec/internals.md#background-imports). The file of an import lies in chunks in the database of auth, and
// any replica may import it.
//
// Protocol: a worker claims the oldest import that waits, which begins a run: its number is the fence of all that the worker writes into the
// record. Of a shop one import runs at a time, so that its files are imported in their order. Once a second the worker reports its progress,
// which renews its lease; the answer says whether the import was cancelled. A worker that dies reports nothing more, and when its lease has
// ended any worker claims the import anew. A run begins at the beginning of the file: batches have names that follow from the
// import, and the services answer a repeated batch with its first results, so that the counts are those of an undisturbed run. A worker that
// was only slow learns with its next report that the fence is not its own, and ends without a trace. A process that stops gives its imports
// back. Where auth cannot be reached the worker goes on; two workers at once do no harm.
import { open } from 'node:fs/promises'
import type { Calls } from '#calls/calls'
import type { ClaimedImport } from '#contracts/actions/imports'
import type { CallMeta } from '#contracts/caller'
import { limits } from '#contracts/limits'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { Call, ServiceContext } from '#runtime/service'
import { startWorker, type Worker } from '#runtime/worker-loop'
import { formats } from './formats/formats.ts'
import { runImport } from './run-import.ts'
import type { Running } from './running.ts'
import { Stop } from './stop.ts'
import { withFile } from './upload.ts'

export type Background = {
  start(): void
  /** Says that an import may wait. */
  wake(): void
  /** Claims no further imports. */
  stop(): Promise<void>
}

const POLL_MS = 2_000 // With the lease less than the ten seconds of docs/spec/back-office.md#imports.
// Longer than an update of the services takes: nobody waits for the answer.
const RETRY_DELAYS_MS = [250, 1_000, 2_000, 4_000, 8_000, ...Array.from({ length: 20 }, () => 15_000)]

export function openBackground(context: ServiceContext, calls: Calls, running: Running): Background {
  const { log } = context
  let worker: Worker | null = null

  async function claimNext(): Promise<boolean> {
    // One place is for callers that wait.
    if (!context.isRunning() || running.size() >= limits.importsAtOnce - 1) return false
    const { claimed } = (await calls.command('imports.claim', {})) as { claimed: ClaimedImport | null }
    if (claimed === null) return false
    const ending = new AbortController()
    const released = new Stop('released', 'The process stops.')
    void running
      .hold(ending, released, run(claimed, ending))
      .catch((error: unknown) => log.error({ error }, 'a background import was left to others'))
      .finally(() => worker?.wake())
    return true
  }

  function run(claimed: ClaimedImport, ending: AbortController): Promise<Buffer | null> {
    const { id, fence, options, operator, request_id } = claimed
    const caller = { ...claimed.caller, keyId: null, canWrite: true }
    const meta: CallMeta = { caller, operator, ...(request_id === null ? {} : { request_id }) }
    return withFile((path) =>
      runImport(calls, log, {
        file: (call) => download(call, claimed, meta, path),
        bytes: claimed.bytes,
        format: formats.find(({ format }) => format === claimed.format) ?? null,
        dryRun: claimed.dry_run,
        options: {
          createContacts: options.create_contacts ?? false,
          defaultPaymentMethod: options.default_payment_method ?? 'bank_transfer',
        },
        caller,
        meta,
        run: { id, fence },
        ending,
        retryDelaysMs: RETRY_DELAYS_MS,
      }),
    )
  }

  return {
    start() {
      const onError = (error: unknown) => log.warn({ error }, 'no import could be claimed')
      worker = startWorker({ pollMs: POLL_MS, round: claimNext, onError })
    },
    wake: () => worker?.wake(),
    stop: async () => worker?.stop(),
  }
}

/** Writes the chunks into a file and returns its path. */
async function download(
  call: Call,
  { id, fence, chunks }: ClaimedImport,
  meta: CallMeta,
  path: string,
): Promise<string> {
  const file = await open(path, 'wx', 0o600)
  try {
    for (let number = 0; number < chunks; number += 1) {
      await file.write(asBuffer(await call('imports.read_chunk', { id, fence, number }, meta)))
    }
  } finally {
    await file.close()
  }
  return path
}
