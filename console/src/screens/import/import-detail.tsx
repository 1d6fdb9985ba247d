// One import: what it did or would do, its problems by line, and after a dry run of this page the button that imports the file.
import { useEffect } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { useMayChange } from '../../frame/role.ts'
import { api } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { Fold } from '../../parts/fold.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { asCommand, asCurl, bare, type Way } from '../../parts/list/ways.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { SeeHow } from '../../parts/see-how.tsx'
import { Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { screenOf } from './formats.ts'
import { JobCard } from './job-card.tsx'
import { isUnderWay, Progress } from './progress.tsx'
import { causeOf } from './problems.ts'
import { Problems } from './problems.tsx'
import { ReadAs } from './read-as.tsx'
import { nameOf, outcomes, stateWords, toneOf } from './report.ts'
import { type Import, type Job, job, startImport } from './run.ts'

const { imports: text } = words
const AGAIN_MS = 1_000

type ImportDetailProps = { shop: Shop; id: string; place: Place; changed: (one: Import) => void }

export function ImportDetail({ shop, id, place, changed }: ImportDetailProps) {
  const { handle } = shop
  const loaded = useLoad<Import>(`import ${handle} ${id}`, (signal) => api.imports.get(handle, id, { signal }))
  const current = useStore(job)
  const own = current?.shop === handle ? current : null
  const { data, reload, isLoading, put } = loaded
  useEffect(() => {
    if (data !== null) changed(data)
  }, [data])
  const isWaiting = data !== null && isUnderWay(data) && !isLoading
  useEffect(() => {
    if (!isWaiting) return undefined
    const timer = setTimeout(() => void reload(), AGAIN_MS)
    return () => clearTimeout(timer)
  }, [isWaiting, reload])
  const ways = [
    asCurl(location.origin, { method: 'GET', path: `/shops/${handle}/imports/${id}` }),
    asCommand(`imports get ${id}`, handle),
  ]
  const name = data === null ? text.one : nameOf(data)
  return (
    <>
      <ObjectHead name={name} place={place} id={id} ways={ways}>
        {data !== null && (
          <>
            <Status tone={toneOf(data)} word={stateWords(data)} />
            {data.dryRun && <span class="tag">{text.dryRun}</span>}
            <When at={data.createdAt} zone={shop.timeZone} />
          </>
        )}
      </ObjectHead>
      {place.isAlone && own !== null && <JobCard job={own} />}
      <Shown of={loaded}>{(one) => <Report of={one} shop={shop} job={own} put={put} />}</Shown>
    </>
  )
}

type ReportProps = { of: Import; shop: Shop; job: Job | null; put: (one: Import) => void }

function Report({ of, shop, job: own, put }: ReportProps) {
  if (isUnderWay(of)) {
    return (
      <>
        <Progress of={of} shop={shop.handle} put={put} />
        {of.processed > 0 && <Counts of={of} />}
      </>
    )
  }
  return (
    <>
      <End of={of} />
      {of.processed > 0 && <Counts of={of} />}
      {of.dryRun ? <Next of={of} job={own} /> : <After of={of} shop={shop} />}
      <Problems of={of} shop={shop.handle} />
      {of.ignoredColumns.length > 0 && (
        <Fold className="section" summary={text.ignored(of.ignoredColumns.length)}>
          {() => <p class="soft">{of.ignoredColumns.join(', ')}</p>}
        </Fold>
      )}
    </>
  )
}

/** Why an import that is not completed has ended. */
function End({ of }: { of: Import }) {
  const { status, dryRun, processed } = of
  const ends: Record<string, string> = text.ends
  const sentence = ends[dryRun ? `${status}Dry` : status] ?? ends[status]
  if (sentence === undefined) return null
  const why = causeOf(of)?.message ?? null
  return (
    <div class={status === 'cancelled' ? 'end' : 'end problem'} role="status">
      <p>
        <strong>{sentence}</strong> {!dryRun && (processed === 0 ? text.nothing : text.rest)}
      </p>
      {why !== null && <p>{why}</p>}
    </div>
  )
}

function Counts({ of }: { of: Import }) {
  const named = of.dryRun ? text.would : text.did
  return (
    <>
      <p role="status">
        {text.rowsRead(of.records)} <span class="soft">{text.rowsLeft(of.blankRecords, of.ignoredRecords)}</span>
      </p>
      <dl class="counts" aria-label={text.counts}>
        {outcomes.map((name) => (
          <div key={name} class={of[name] === 0 ? 'none' : name === 'failed' ? 'fault' : ''}>
            <dt>{named[name]}</dt>
            <dd>{of[name].toLocaleString(words.locale)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** What a dry run leads to. Without its file, which a page loses when it is loaded again, it is only a report. */
function Next({ of, job: own }: { of: Import; job: Job | null }) {
  const mayImport = useMayChange()
  const isOfThis = own !== null && (own.result?.id === of.id || own.from?.id === of.id)
  if (isOfThis && own.step !== 'over') return null
  if (!isOfThis || (own.result === null && own.dryRun))
    return <p class="soft">{mayImport ? text.chooseAgain : text.wasDry}</p>
  const { shop, file, options } = own
  const isUseful = of.status === 'completed' && of.created + of.updated > 0
  return (
    <section class="next" aria-label={text.next}>
      <p>
        <strong>{file.name}</strong> <span class="soft">{text.wasDry}</span>
      </p>
      <ReadAs of={of} job={own} />
      {of.status === 'completed' && (
        <>
          <div class="buttons">
            <button
              type="button"
              class={isUseful ? 'primary' : ''}
              disabled={!isUseful}
              onClick={() => void startImport({ shop, file, options, dryRun: false, from: of })}
            >
              {text.run(of.records)}
            </button>
            <SeeHow ways={waysOf(own)} />
          </div>
          {!isUseful && <p class="hint">{text.nothingToDo}</p>}
          {isUseful && of.failed > 0 && <p class="hint">{text.runAnyway(of.failed)}</p>}
        </>
      )}
    </section>
  )
}

/** The import itself elsewhere. */
function waysOf({ shop, file, options }: Job): Way[] {
  const { format, createContacts, defaultPaymentMethod } = options
  const path = `./${file.name}` // A name may begin with a hyphen.
  const chosen = {
    ...(format === undefined ? {} : { format }),
    ...(defaultPaymentMethod === undefined ? {} : { default_payment_method: defaultPaymentMethod }),
  }
  const query = createContacts === true ? { ...chosen, create_contacts: 'true' } : chosen
  return [
    asCurl(location.origin, { method: 'POST', path: `/shops/${shop}/imports`, query, file: path }),
    asCommand(`import ${bare(path)}`, shop, createContacts === true ? { ...chosen, create_contacts: true } : chosen),
  ]
}

function After({ of, shop }: { of: Import; shop: Shop }) {
  const mayImport = useMayChange()
  const screen = screenOf(of.format)
  return (
    <>
      {screen !== null && of.created + of.updated > 0 && (
        <p>
          <LinkTo name={screen} shop={shop}>
            {text.showAll[screen]}
          </LinkTo>
        </p>
      )}
      {of.failed > 0 && mayImport && <p class="soft">{text.correct}</p>}
    </>
  )
}
