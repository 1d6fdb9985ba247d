// What can be done to the chosen rows: one by one, a page at once, or all that match. Shows progress, a result for each row, and
// what was refused, to download.
import { useRef, useState } from 'preact/hooks'
import { csvLine, guarded } from '#export/csv'
import { words } from '../../words/en.ts'
import type { Money } from '../money.ts'
import { actOnMany, MANY_MAX, type Result } from './act-on-many.ts'
import { type MoneyBack, MoneyQuestion } from './money-question.tsx'
import { type Choice, rowsOf } from './choice.ts'
import { saveFile } from './take-away.ts'

export type BulkAction<Row> = {
  name: string
  label: string
  /** In the past tense, of a number: "12 shipped". */
  done(count: number): string
  run(id: string): Promise<unknown>
  /** Whether it is possible for a row that is on the page; the others are tried. */
  isFor(row: Row): boolean
  /** Of an action that gives money back, instead of `run`. */
  money?: MoneyBack<Row>
}

type BulkBarProps<Row> = {
  /** Names the list that the choice is from. */
  of: string
  name: string
  actions: readonly BulkAction<Row>[]
  rows: readonly Row[]
  idOf(row: Row): string
  chosen: Choice
  choose(ids: Choice): void
  hasMore: boolean
  pages(signal: AbortSignal): AsyncIterable<{ data: Row[] }>
  done(): void
}
type Run<Row> = {
  action: BulkAction<Row>
  results: readonly Result[]
  total: number | null
  isOver: boolean
  error: unknown
}

const RESULTS_SHOWN = 200
const SHOW_MS = 100 // Between two drawings of the progress.

export function BulkBar<Row>(props: BulkBarProps<Row>) {
  const { name, actions, rows, idOf, chosen, choose, hasMore, pages, done } = props
  const [run, setRun] = useState<Run<Row> | null>(null)
  const [asked, setAsked] = useState<{ action: BulkAction<Row>; choice: Choice } | null>(null)
  // What was seen of the chosen rows: a choice may reach over several pages.
  const seen = useRef<{ of: string; rows: Map<string, Row> }>({ of: props.of, rows: new Map() })
  if (seen.current.of !== props.of) seen.current = { of: props.of, rows: new Map() }
  for (const row of rows) seen.current.rows.set(idOf(row), row)
  const stop = useRef<AbortController | null>(null)
  const count = chosen === 'all' ? null : chosen.size
  const start = async (action: BulkAction<Row>, sums?: ReadonlyMap<string, Money>) => {
    setAsked(null)
    const own = new AbortController()
    stop.current = own
    const results: Result[] = []
    const show = (part: Partial<Run<Row>> = {}) =>
      setRun({ action, results: [...results], total: sums?.size ?? count, isOver: false, error: null, ...part })
    show()
    const ids = sums?.keys() ?? (chosen === 'all' ? idsOf(pages(own.signal), idOf) : [...chosen])
    const act = (id: string) => {
      const sum = sums?.get(id)
      return sum === undefined || action.money === undefined ? action.run(id) : action.money.run(id, sum)
    }
    let shownAt = 0
    const report = (result: Result) => {
      results.push(result)
      if (Date.now() - shownAt < SHOW_MS) return
      shownAt = Date.now()
      show()
    }
    const error = await actOnMany(ids, act, report, own.signal).catch((reason: unknown) => reason)
    show({ isOver: true, error: own.signal.aborted ? null : (error ?? null) })
    done()
  }
  if (run !== null) {
    const close = () => {
      setRun(null)
      choose(new Set())
    }
    return <Progress name={name} run={run} cancel={() => stop.current?.abort()} close={close} />
  }
  if (count === 0 || actions.length === 0) return null
  const gives = asked?.choice === chosen ? asked.action : null // Of another choice it is asked for again.
  const chosenRows = rows.filter((row) => chosen === 'all' || chosen.has(idOf(row)))
  const isWholePage = chosen !== 'all' && rows.length > 0 && rows.every((row) => chosen.has(idOf(row)))
  return (
    <div class="bulk" role="region" aria-label={words.bulk.title}>
      <strong>{chosen === 'all' ? words.bulk.all(MANY_MAX) : words.bulk.chosen(chosen.size)}</strong>
      {isWholePage && hasMore && (
        <button type="button" class="link" onClick={() => choose('all')}>
          {words.bulk.chooseAll}
        </button>
      )}
      <span class="buttons">
        {actions.map((action) => (
          <button
            type="button"
            key={action.name}
            disabled={chosenRows.length > 0 && !chosenRows.some(action.isFor)}
            aria-expanded={action.money === undefined ? undefined : asked?.action === action}
            onClick={() => {
              if (action.money === undefined) void start(action)
              else setAsked({ action, choice: chosen })
            }}
          >
            {action.label}
          </button>
        ))}
        <button type="button" class="link" onClick={() => choose(new Set())}>
          {words.bulk.none}
        </button>
      </span>
      {gives?.money !== undefined && (
        <MoneyQuestion
          key={gives.name}
          money={gives.money}
          chosen={chosen}
          seen={seen.current.rows}
          onPage={rows.map(idOf)}
          idOf={idOf}
          pages={pages}
          give={(sums) => void start(gives, sums)}
          cancel={() => setAsked(null)}
        />
      )}
    </div>
  )
}

async function* idsOf<Row>(pages: AsyncIterable<{ data: Row[] }>, idOf: (row: Row) => string) {
  for await (const row of rowsOf(pages)) yield idOf(row)
}

type ProgressProps<Row> = { name: string; run: Run<Row>; cancel: () => void; close: () => void }

function Progress<Row>({ name, run, cancel, close }: ProgressProps<Row>) {
  const { action, results, total, isOver, error } = run
  const refused = results.filter(({ outcome }) => outcome === 'refused')
  const save = () => {
    const lines = refused.map((one) => [one.id, one.code, guarded(one.message ?? ''), one.requestId])
    const text = [['id', 'code', 'message', 'request_id'], ...lines].map(csvLine).join('')
    saveFile(new Blob([text], { type: 'text/csv' }), `${name}-${action.name}-refused.csv`)
  }
  return (
    <div class="bulk" role="region" aria-label={words.bulk.title}>
      <p role="status">
        {action.done(results.length - refused.length)}
        {refused.length > 0 && `, ${words.bulk.refused(refused.length)}`}
        {!isOver && total !== null && ` ${words.bulk.of(total)}`}
        {error !== null && ` ${words.bulk.broken}`}
      </p>
      {!isOver && (
        <progress
          max={total ?? undefined}
          value={total === null ? undefined : results.length}
          aria-label={action.label}
        />
      )}
      <span class="buttons">
        {!isOver && (
          <button type="button" onClick={cancel}>
            {words.cancel}
          </button>
        )}
        {refused.length > 0 && isOver && (
          <button type="button" onClick={save}>
            {words.bulk.download}
          </button>
        )}
        {isOver && (
          <button type="button" onClick={close}>
            {words.close}
          </button>
        )}
      </span>
      <ol class="results" tabIndex={0} aria-label={words.bulk.results}>
        {[...refused, ...results.filter(({ outcome }) => outcome === 'done')].slice(0, RESULTS_SHOWN).map((one) => (
          <li key={one.id} class={one.outcome}>
            <code>{one.id}</code> {one.outcome === 'done' ? words.bulk.isDone : one.message}
          </li>
        ))}
      </ol>
    </div>
  )
}
