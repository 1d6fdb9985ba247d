// Follows an import of the back office to its end. Ctrl-C cancels it; pressed again, it does not wait for the report.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ImportRecord } from '#contracts/objects/import-record'
import type { BackOffice, Json } from '../office/back-office.ts'
import { hasCode, refused } from '../failure.ts'
import type { Interrupt } from './interrupt.ts'
import type { Progress } from './progress.ts'

export type ImportObject = Json & ImportRecord

type Followed = { progress: Progress; interrupt: Interrupt; note: (text: string) => void }

const POLL_MS = 500
const RETRY_MS = 2_000
const OUTAGE_MS = 300_000 // The import goes on meanwhile.

const isOver = ({ status }: ImportObject) => status !== 'queued' && status !== 'running'

/** `path` is that of the import. Throws where the back office stays away, and where nobody waits for the report. */
export async function follow(
  office: BackOffice,
  path: string,
  { progress, interrupt: { first, second }, note }: Followed,
): Promise<ImportObject> {
  let isCancelling = false
  for (let awaySince: number | null = null; ; ) {
    if (first.aborted && !isCancelling) {
      isCancelling = true
      progress.stop()
      note('Cancelling the import. Press Ctrl-C again to leave before its report.')
      await cancel(office, path)
    }
    try {
      const found = (await office.call('GET', path)) as ImportObject
      awaySince = null
      progress.show(found)
      if (isOver(found)) return found
    } catch (error) {
      awaySince ??= performance.now()
      const isAway = error instanceof Error && error.name === 'Unreachable'
      if (!isAway || performance.now() - awaySince > OUTAGE_MS) throw error
      note(`storefront: ${error.message} Trying again.`)
    }
    await sleep(awaySince === null ? POLL_MS : RETRY_MS, undefined, { signal: isCancelling ? second : first }).catch(
      () => undefined, // The loop checks the signals itself.
    )
    if (second.aborted)
      throw refused(`The import is being cancelled; its report: imports show ${path.split('/').at(-1)}`)
  }
}

// One that has ended meanwhile is no failure: its report follows.
async function cancel(office: BackOffice, path: string): Promise<void> {
  await office.call('POST', `${path}/cancel`).catch((error: unknown) => {
    if (!hasCode(error, 'conflict')) throw error
  })
}
