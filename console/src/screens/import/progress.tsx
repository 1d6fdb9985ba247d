// An import that waits or runs, whoever began it: how far it is, its pace, and the button that cancels it.
import { useState } from 'preact/hooks'
import { useMayChange } from '../../frame/role.ts'
import { api } from '../../frame/session.ts'
import { Problem } from '../../parts/state.tsx'
import { words } from '../../words/en.ts'
import type { Import } from './run.ts'

const { imports: text } = words

export function isUnderWay({ status }: Import): boolean {
  return status === 'queued' || status === 'running'
}

/** `put` gets the import as the cancellation has answered it. */
export function Progress({ of, shop, put }: { of: Import; shop: string; put: (one: Import) => void }) {
  const mayCancel = useMayChange()
  const [error, setError] = useState<unknown>(null)
  const [isAsked, setAsked] = useState(false)
  const cancel = async () => {
    setAsked(true)
    setError(null)
    try {
      put(await api.imports.cancel(shop, of.id))
    } catch (problem) {
      setError(problem)
      setAsked(false)
    }
  }
  const phase = phaseWords(of)
  return (
    <section class="job card" aria-label={phase}>
      <p role="status">
        <strong>{phase}</strong>
      </p>
      {of.total === null ? (
        <progress aria-label={phase} />
      ) : (
        <progress max={Math.max(of.total, 1)} value={of.processed} aria-label={phase} />
      )}
      <p class="number">{factsOf(of).join(' · ')}</p>
      <p class="hint">{text.mayLeave}</p>
      {error !== null && <Problem error={error} />}
      {mayCancel && (
        <div class="buttons">
          <button type="button" disabled={isAsked || of.phase === 'cancelling'} onClick={() => void cancel()}>
            {text.cancelImport}
          </button>
        </div>
      )}
    </section>
  )
}

function phaseWords({ phase, dryRun }: Import): string {
  const names: Record<string, string> = text.phases
  return (dryRun && phase === 'writing' ? text.phases.checkingDry : names[phase]) ?? phase
}

function factsOf({ processed, total, recordsPerSecond, etaSeconds, phase }: Import): string[] {
  if (total === null) return []
  return [
    text.objectsOf(processed, total),
    ...(recordsPerSecond === null ? [] : [text.pace(recordsPerSecond)]),
    ...(etaSeconds === null || phase !== 'writing' ? [] : [text.left(etaSeconds)]),
  ]
}
