// Where a file is dropped or chosen. It is checked at once, by a dry run.
import { useEffect, useState } from 'preact/hooks'
import { limits } from '#contracts/limits'
import { useMayChange } from '../../frame/role.ts'
import { useStore } from '../../frame/store.ts'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { JobCard } from './job-card.tsx'
import { job, startImport } from './run.ts'

const { imports: text } = words

export function DropArea({ shop }: { shop: Shop }) {
  const mayImport = useMayChange()
  const current = useStore(job)
  const own = current?.shop === shop.handle ? current : null
  const isRunning = own !== null && own.step !== 'over'
  const [why, setWhy] = useState<string | null>(null)
  const take = (files: readonly File[]) => {
    const [file] = files
    if (file === undefined) return
    const problem = whyNot(files.length, file)
    setWhy(problem)
    if (problem === null) void startImport({ shop: shop.handle, file, options: {}, dryRun: true, from: null })
  }
  const isOver = useDrop(mayImport && !isRunning ? take : null)
  return (
    <>
      {!isRunning && (
        <section class={isOver ? 'drop card over' : 'drop card'} aria-label={text.drop}>
          <h2>{text.drop}</h2>
          <p>{text.dropHow}</p>
          <label class="button primary file" aria-disabled={!mayImport}>
            {text.choose}
            <input
              type="file"
              class="only-read"
              accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv"
              disabled={!mayImport}
              onChange={({ currentTarget }) => {
                take([...(currentTarget.files ?? [])])
                currentTarget.value = '' // The same file may be chosen again.
              }}
            />
          </label>
          <p class="hint">{mayImport ? text.first : text.mayNot}</p>
          {why !== null && (
            <p class="problem" role="alert">
              {why}
            </p>
          )}
        </section>
      )}
      {own !== null && <JobCard job={own} />}
    </>
  )
}

function whyNot(count: number, { size }: File): string | null {
  if (count > 1) return text.oneFile
  return size > limits.importBytesMax ? text.tooLarge(size, limits.importBytesMax) : null
}

/** Takes files that are dropped anywhere on the page. Whether one is held over it now. */
function useDrop(take: ((files: readonly File[]) => void) | null): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      event.preventDefault() // Else the browser opens the file in place of the page.
      setOver(take !== null && event.dataTransfer?.types.includes('Files') === true)
    }
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const onDrop = (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      take?.([...(event.dataTransfer?.files ?? [])])
    }
    addEventListener('dragover', onOver)
    addEventListener('dragleave', onLeave)
    addEventListener('drop', onDrop)
    return () => {
      removeEventListener('dragover', onOver)
      removeEventListener('dragleave', onLeave)
      removeEventListener('drop', onDrop)
    }
  })
  return isOver
}
