// The import that runs in this page: how much of the file is sent, how many rows are read, and the button that ends it.
import { words } from '../../words/en.ts'
import { Problem } from '../../parts/state.tsx'
import { cancelImport, closeJob, type Job, startImport } from './run.ts'

const { imports: text } = words

export function JobCard({ job }: { job: Job }) {
  if (job.step === 'over') return <Ended job={job} />
  const step = job.step === 'sending' ? text.steps.sending : job.dryRun ? text.steps.checking : text.steps.importing
  return (
    <section class="job card" aria-label={text.one}>
      <p role="status">
        <strong>{step}</strong> {job.file.name}
      </p>
      <Progress job={job} label={step} />
      <p class="hint">{text.stay}</p>
      <div class="buttons">
        <button type="button" onClick={cancelImport}>
          {words.cancel}
        </button>
      </div>
    </section>
  )
}

function Progress({ job, label }: { job: Job; label: string }) {
  const { step, sent, file, processed, from } = job
  if (step === 'sending') {
    return (
      <>
        <progress max={Math.max(file.size, 1)} value={Math.min(sent, file.size)} aria-label={label} />
        <p class="number">{text.sent(Math.min(sent, file.size), file.size)}</p>
      </>
    )
  }
  // How many rows there are is known from an earlier report.
  if (from === null || from.processed === 0) {
    return (
      <>
        <progress aria-label={label} />
        <p class="number">{text.rowsSoFar(processed)}</p>
      </>
    )
  }
  return (
    <>
      <progress max={Math.max(from.processed, 1)} value={processed} aria-label={label} />
      <p class="number">{text.rowsOf(processed, from.processed)}</p>
    </>
  )
}

/** What was cancelled or could not be imported; a report is shown by itself. */
function Ended({ job }: { job: Job }) {
  const { isCancelled, error, dryRun, runningId } = job
  if (!isCancelled && error === null) return null
  if (isCancelled && dryRun) return null
  return (
    <section class="job card" aria-label={text.one}>
      <p class="soft">{job.file.name}</p>
      {isCancelled ? (
        <p role="status">{runningId === null ? text.notBegun : text.cancelled}</p>
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
