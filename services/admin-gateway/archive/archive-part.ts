// A part of an archive, read from its service page by page. docs/spec/archives.md#api
import type { Calls } from '#calls/calls'
import type { ActionInput } from '#contracts/actions'
import { isPartName, type PartName, partNames, partOf } from '#contracts/archive/parts'
import type { CallMeta } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import { asBuffer } from '#runtime/middlewares/large-response'

/** The name in a path. Refuses not_found for another one. */
export function archivePartName(name: string): PartName {
  if (isPartName(name)) return name
  throw refuse('not_found', `An archive has no such part; it has ${partNames.join(', ')}.`)
}

/** The pages behind the row with that key, each asked for when the one before it was taken. */
export async function* pagesOf(
  calls: Calls,
  part: PartName,
  after: string | null,
  meta: CallMeta,
): AsyncGenerator<Buffer, void> {
  const { service } = partOf(part)
  const { audit: _ofCall, ...ofPages } = meta
  for (let last = after; ; ) {
    const params: ActionInput<'orders.archive_part'> = { part, after: last }
    const page = (await calls.batch(`${service}.archive_part`, params, { ...ofPages, is_read: true })) as Page
    if (page.last === null) return
    yield asBuffer(page.body)
    ;({ last } = page)
  }
}

type Page = { body: unknown; last: string | null }
