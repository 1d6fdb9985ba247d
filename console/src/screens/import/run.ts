// Sends a file of this page to be imported in the background, dry or for real, and tells how much of it is sent
// (docs/spec/back-office.md#imports). What comes after that goes on without the page, and every page of the import shows it.
import type { BackOffice, BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { clientBy } from '../../frame/session.ts'
import { createStore } from '../../frame/store.ts'
import { words } from '../../words/en.ts'
import { fetchWithProgress } from './upload.ts'

export type Import = BackOfficeSchemas['Import']
type Query = NonNullable<Parameters<BackOffice['imports']['begin']>[2]>
/** What the person may choose; an absent format is recognised. */
export type Options = Omit<Query, 'dryRun' | 'background'>
export type Job = {
  /** The handle. */
  shop: string
  file: File
  options: Options
  dryRun: boolean
  /** The report from which it was started. */
  from: Import | null
  step: 'sending' | 'over'
  /** Bytes. */
  sent: number
  /** The import as it was when the file had arrived. */
  result: Import | null
  error: unknown
  isCancelled: boolean
}

export const job = createStore<Job | null>(null)
/** Counts the times that a file of this page has arrived, for lists that show its import. */
export const changes = createStore(0)

const TIMEOUT_MS = 6 * 3_600_000
let running: AbortController | null = null

/** Sends a file; one that is being sent is cancelled. The outcome is in `job`. */
export async function startImport(given: Pick<Job, 'shop' | 'file' | 'options' | 'dryRun' | 'from'>): Promise<void> {
  running?.abort()
  const own = new AbortController()
  running = own
  const { shop, file, options, dryRun } = given
  let now: Job = { ...given, step: 'sending', sent: 0, result: null, error: null, isCancelled: false }
  const show = (part: Partial<Job>) => {
    now = { ...now, ...part }
    if (running === own) job.set(now)
  }
  show({})
  addEventListener('beforeunload', askBeforeLeaving)
  try {
    const { begin } = clientBy(fetchWithProgress((sent) => show({ sent }))).imports
    const query = { ...options, dryRun, background: true }
    const result = await begin(shop, file, query, { signal: own.signal, timeout: TIMEOUT_MS })
    show({ step: 'over', result })
  } catch (error) {
    if (own.signal.aborted) show({ step: 'over', isCancelled: true })
    else show({ step: 'over', error: (await isReadable(file)) ? error : words.imports.unreadable })
  }
  if (running !== own) return
  running = null
  removeEventListener('beforeunload', askBeforeLeaving)
  changes.set(changes.get() + 1)
}

/** Ends the sending; nothing was imported. */
export function stopSending(): void {
  running?.abort()
}

/** Forgets a file that is sent. */
export function closeJob(): void {
  if (running === null) job.set(null)
}

async function isReadable(file: File): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
