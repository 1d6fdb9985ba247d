// Restores an archive: checks it, begins or continues the restore, sends the rows that are not stored yet, and finishes.
// docs/spec/archives.md#restore
// The file is read three times: to check it, for everything but the events, and for the events, which come last, so that a receiver that is
// sent one finds its object.
import { setTimeout as sleep } from 'node:timers/promises'
import { ARCHIVE_VERSION, type PartName, SECRETS } from '#contracts/archive/parts'
import { limits } from '#contracts/limits'
import type { Restore } from '#contracts/archive/restore'
import { hasCode, refused, statusOf } from '../failure.ts'
import type { BackOffice, Json } from '../office/back-office.ts'
import { digestOf } from './manifest.ts'
import { linesIn, partIn, readArchive } from './read-archive.ts'
import { openSecrets } from './secrets.ts'
import type { Verified } from './verify.ts'

/** `newIds` absent: where the shop of the archive is in the installation. */
export type RestoreWish = { file: string; handle: string; newIds?: boolean; events: boolean }
type Office = Pick<BackOffice, 'call'>
/** Before each retry of a call after an outage. */
export const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]

/** What a dry run answers; nothing is written. */
export function previewRestore(office: Office, verified: Verified, wish: RestoreWish): Promise<Json> {
  return office.call('POST', '/restores?dry_run=true', inputOf(verified, wish))
}

/** Returns the completed restore. `note` says what happens; `delaysMs` is shorter in tests only. */
export async function restoreArchive(
  given: Office,
  verified: Verified,
  wish: RestoreWish,
  note: (text: string) => void,
  delaysMs: readonly number[] = RETRY_DELAYS_MS,
): Promise<Json & Restore> {
  const office = persistent(given, delaysMs)
  const secrets = await openSecrets(verified) // Before anything is written.
  const restore = (await office.call('POST', '/restores', inputOf(verified, wish))) as Json & Restore
  if (restore.status === 'running') {
    const isContinued = Object.values(restore.parts).some(({ position }) => position > 0)
    note(isContinued ? 'An earlier restore of this archive goes on.' : 'The restore has begun.')
    for (const isEvents of [false, true]) {
      await sendParts(office, restore, verified, wish.file, (part) => (part === 'events') === isEvents, secrets, note)
    }
  }
  return (await office.call('POST', `/restores/${restore.id}/finish`, {})) as Json & Restore
}

async function sendParts(
  office: Office,
  restore: Restore,
  { manifest }: Verified,
  file: string,
  isSent: (part: PartName) => boolean,
  secrets: Buffer | null,
  note: (text: string) => void,
): Promise<void> {
  const seen: { [Part in PartName]?: number } = {}
  for await (const { name, content } of readArchive(file)) {
    const part = partIn(name)
    if (part === null || part === 'shop' || !isSent(part)) continue
    const stated = manifest.parts[part]?.files.find((one) => one.name === name)
    if (stated?.sha256 !== digestOf(content)) throw refused(`The archive was changed while it was restored: ${name}.`)
    const lines = linesIn(name, part === SECRETS && secrets !== null ? secrets : content)
    const before = seen[part] ?? 0
    seen[part] = before + lines.length
    const stored = restore.parts[part]?.position ?? 0
    const skipped = Math.min(Math.max(stored - before, 0), lines.length)
    let position = before + skipped
    for (const batch of batchesOf(lines.slice(skipped))) {
      const rows = batch.map((line) => JSON.parse(line) as Json)
      await office.call('POST', `/restores/${restore.id}/parts/${part}`, { position, rows })
      position += rows.length
    }
    if (position === manifest.parts[part]?.rows) note(`${part}: ${position} rows.`)
  }
}

function* batchesOf(lines: string[]): Generator<string[], void> {
  let batch: string[] = []
  let bytes = 0
  for (const line of lines) {
    const isFull = batch.length === limits.restoreBatchRows || bytes + line.length > limits.restoreBatchBytes
    if (batch.length > 0 && isFull) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(line)
    bytes += line.length
  }
  if (batch.length > 0) yield batch
}

function inputOf({ manifest, digest, shop, bytes }: Verified, { handle, newIds, events }: RestoreWish): Json {
  const rows = Object.entries(manifest.parts).map(([part, one]) => [part, one.rows])
  return {
    handle,
    archive: digest,
    version: ARCHIVE_VERSION,
    ...(newIds === undefined ? {} : { newIds }),
    events,
    bytes,
    rows: Object.fromEntries(rows),
    shop,
  }
}

// Every call may be repeated: what it did before is found by the next one.
function persistent(office: Office, delaysMs: readonly number[]): Office {
  return {
    async call(...request) {
      for (const delayMs of delaysMs) {
        try {
          return await office.call(...request)
        } catch (error) {
          if (statusOf(error) !== 3 && !hasCode(error, 'server_error') && !hasCode(error, 'unavailable')) throw error
          await sleep(delayMs)
        }
      }
      return office.call(...request)
    },
  }
}
