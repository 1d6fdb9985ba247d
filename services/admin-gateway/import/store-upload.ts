// Stores the file of a background import in the database of auth while it arrives, and queues the import when all of it is there. Of a
// file that does not arrive whole nothing stays: its chunks are dropped at once, or by the cleanup of auth where auth cannot be reached.
import type { Calls } from '#calls/calls'
import type { ActionInput } from '#contracts/actions'
import type { CallMeta } from '#contracts/caller'
import { limits } from '#contracts/limits'
import type { GatewayContext } from '#http/exchange'
import { withRetry } from './retry.ts'
import { checkUpload, receiveUpload } from './upload.ts'

const RETRY_DELAYS_MS = [250, 1_000] // Together with the calls less than an upload may stand still.

/** Returns the body of the queued `import` object. */
export async function storeUpload(
  ctx: GatewayContext,
  { command }: Pick<Calls, 'command'>,
  params: Pick<ActionInput<'imports.queue'>, 'format' | 'dry_run' | 'options'>,
  meta: CallMeta,
): Promise<unknown> {
  checkUpload(ctx)
  const call = withRetry(command, new AbortController().signal, RETRY_DELAYS_MS)
  const { id } = (await command('imports.open_file', {}, meta)) as { id: string }
  let chunks = 0
  let held: Buffer[] = []
  let heldBytes = 0
  const store = async () => {
    const all = Buffer.concat(held)
    held = []
    heldBytes = 0
    for (let at = 0; at < all.length; at += limits.importChunkBytes) {
      const bytes = all.subarray(at, at + limits.importChunkBytes)
      await call('imports.store_chunk', { id, number: chunks, bytes }, meta)
      chunks += 1
    }
  }
  try {
    const bytes = await receiveUpload(ctx, async (chunk) => {
      held.push(chunk)
      heldBytes += chunk.length
      if (heldBytes >= limits.importChunkBytes) await store()
    })
    await store()
    return await call('imports.queue', { id, chunks, bytes, ...params }, meta)
  } catch (error) {
    await command('imports.drop_file', { id }, meta).catch(() => undefined) // The first error is the cause.
    throw error
  }
}
