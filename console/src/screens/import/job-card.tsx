// The file of this page that is being sent: how much of it has left, and the button that ends it; or why it did not arrive.
import { words } from '../../words/en.ts'
import { Problem } from '../../parts/state.tsx'
import { closeJob, type Job, startImport, stopSending } from './run.ts'

const { imports: text } = words

export function JobCard({ job }: { job: Job }) {
  if (job.step === 'over') return <Ended job={job} />
  const { sent, file } = job
  const bytes = Math.min(sent, file.size)
  return (
    <section class="job card" aria-label={text.one}>
      <p role="status">
        <strong>{text.sending}</strong> {file.name}
      </p>
      <progress max={Math.max(file.size, 1)} value={bytes} aria-label={text.sending} />
      <p class="number">{text.sent(bytes, file.size)}</p>
      <p class="hint">{text.stay}</p>
      <div class="buttons">
        <button type="button" onClick={stopSending}>
          {words.cancel}
        </button>
      </div>
    </section>
  )
}

/** What was cancelled or did not arrive; an import is shown by itself. */
function Ended({ job }: { job: Job }) {
  const { isCancelled, error, dryRun, file } = job
  if (!isCancelled && error === null) return null
  if (isCancelled && dryRun) return null
  return (
    <section class="job card" aria-label={text.one}>
      <p class="soft">{file.name}</p>
      {isCancelled ? (
        <p role="status">{text.notBegun}</p>
      ) : (
        <Problem error={error} retry={() => void startImport(job)} />
      )}
      <div class="buttons">
        <button type="button" onClick={closeJob}>
          {words.close}
        </button>
      </div>
    </section>
  )
}
