// Runs one import of this page, dry or real, and tells how far it is. The call answers when the import is finished and ends with its
// page (docs/spec/back-office.md#imports), so the import goes on while other screens are shown, and leaving the page asks first.
import type { BackOffice, BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { firstPage } from '../../frame/first-page.ts'
import { api, clientBy } from '../../frame/session.ts'
import { createStore } from '../../frame/store.ts'
import { words } from '../../words/en.ts'
import { fetchWithProgress } from './upload.ts'

export type Import = BackOfficeSchemas['Import']
type Query = NonNullable<Parameters<BackOffice['imports']['begin']>[2]>
/** What the person may choose; an absent format is recognised. */
export type Options = Omit<Query, 'dryRun'>
export type Job = {
  /** The handle. */
  shop: string
  file: File
  options: Options
  dryRun: boolean
  /** The report from which it was started. */
  from: Import | null
  step: 'sending' | 'reading' | 'over'
  /** Bytes. */
  sent: number
  /** Records so far. */
  processed: number
  /** Its id while it runs, once the list of imports has it. */
  runningId: string | null
  result: Import | null
  error: unknown
  isCancelled: boolean
}

export const job = createStore<Job | null>(null)
/** Counts the times that an import of this page has begun or ended, for lists that show it. */
export const changes = createStore(0)

const TIMEOUT_MS = 3_600_000
const PROGRESS_MS = 1_000
let running: AbortController | null = null

/** Begins an import; one that runs is cancelled. The outcome is in `job`. */
export async function startImport(given: Pick<Job, 'shop' | 'file' | 'options' | 'dryRun' | 'from'>): Promise<void> {
  running?.abort()
  const own = new AbortController()
  running = own
  const { shop, file, options, dryRun } = given
  const nothing = { step: 'sending', sent: 0, processed: 0, runningId: null, result: null, error: null } as const
  let now: Job = { ...given, ...nothing, isCancelled: false }
  const show = (part: Partial<Job>) => {
    now = { ...now, ...part }
    if (running === own) job.set(now)
  }
  show({})
  addEventListener('beforeunload', askBeforeLeaving)
  const before = await newestOf(shop)
  let timer = 0
  const follow = async () => {
    const newest = await newestOf(shop)
    // An import of another person that began at the same time would be shown for it; the result is that of this call.
    if (newest !== null && newest.id !== before?.id && newest.status === 'running' && newest.dryRun === dryRun) {
      if (now.runningId === null) changes.set(changes.get() + 1)
      show({ processed: newest.processed, runningId: newest.id })
    }
    if (now.step === 'reading') timer = window.setTimeout(() => void follow(), PROGRESS_MS)
  }
  const sent = (bytes: number) => {
    const isSent = bytes >= file.size
    if (isSent && now.step === 'sending') timer = window.setTimeout(() => void follow(), PROGRESS_MS)
    show({ sent: bytes, step: isSent ? 'reading' : 'sending' })
  }
  try {
    own.signal.throwIfAborted()
    const { begin } = clientBy(fetchWithProgress(sent)).imports
    const result = await begin(shop, file, { ...options, dryRun }, { signal: own.signal, timeout: TIMEOUT_MS })
    show({ step: 'over', result })
  } catch (error) {
    if (own.signal.aborted) show({ step: 'over', isCancelled: true })
    else show({ step: 'over', error: (await isReadable(file)) ? error : words.imports.unreadable })
  }
  clearTimeout(timer)
  if (running !== own) return
  running = null
  removeEventListener('beforeunload', askBeforeLeaving)
  changes.set(changes.get() + 1)
}

/** What is written stays. */
export function cancelImport(): void {
  running?.abort()
}

/** Forgets an import that is over, with its file. */
export function closeJob(): void {
  if (running === null) job.set(null)
}

// Only for the progress: without an answer there is none.
async function newestOf(shop: string): Promise<Import | null> {
  const { data } = await firstPage(api.imports.list(shop, { limit: 1 })).catch(() => ({ data: [] }))
  return data[0] ?? null
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
