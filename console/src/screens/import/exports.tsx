// Exports of whole lists as files, with the columns that their screens have: page by page, with the number so far, until it is cancelled.
import { useEffect, useRef, useState } from 'preact/hooks'
import { session } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { exportPages } from '../../parts/list/export-pages.ts'
import type { ListConfig } from '../../parts/list/list.tsx'
import { fileOfPages, saveFile } from '../../parts/list/take-away.ts'
import { Problem } from '../../parts/state.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'

const { exports: text } = words
const forms = ['csv', 'ndjson'] as const
type Form = (typeof forms)[number]
type Progress = { rows: number; isOver: boolean; isCancelled: boolean; error: unknown }
/** Saves the list as a file. */
type Save = (shop: Shop, form: Form, progress: (rows: number) => void, signal: AbortSignal) => Promise<void>

// The code of a list is loaded when it is exported.
const lists = {
  orders: async (shop, ...how) => {
    const { ordersList } = await import('../orders/orders-list.tsx')
    await save(ordersList(shop, { mayChange: false, placePath: '' }), ...how)
  },
  products: async (shop, ...how) => {
    const { productsList } = await import('../products/products-list.tsx')
    await save(productsList(shop, false), ...how)
  },
  contacts: async (shop, ...how) => {
    const { contactsList } = await import('../contacts/contacts-list.tsx')
    await save(contactsList(shop, false), ...how)
  },
  memberships: async (shop, ...how) => {
    const { membershipsList } = await import('../memberships/memberships-list.tsx')
    const { namesOf } = await import('../memberships/names.ts')
    await save(membershipsList(shop, { mayChange: false, names: namesOf(shop.handle) }), ...how)
  },
} as const satisfies Record<string, Save>
const names = Object.keys(lists) as (keyof typeof lists)[]

async function save<Row>(
  config: ListConfig<Row>,
  form: Form,
  progress: (rows: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const as = config.exports.find(({ name }) => name === form)
  if (as === undefined) throw new Error(`The list of ${config.name} has no form ${form}.`)
  const file = await fileOfPages(exportPages(config, {}, signal), as, progress)
  saveFile(file, `${config.name}.${form}`)
}

export function Exports({ shop }: { shop: Shop }) {
  const now = useStore(session)
  const seesNoPersons = now.state === 'in' && now.operator.role === 'support'
  return (
    <section class="exports card" aria-label={text.title}>
      <h2>{text.title}</h2>
      <p class="hint">{text.about}</p>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <strong>{words.screens[name]}</strong>
            {name === 'contacts' && seesNoPersons ? (
              <span class="soft wide">{text.noContacts}</span>
            ) : (
              <ExportOf shop={shop} list={name} />
            )}
          </li>
        ))}
      </ul>
      {seesNoPersons && <p class="hint">{text.noPersons}</p>}
    </section>
  )
}

function ExportOf({ shop, list }: { shop: Shop; list: keyof typeof lists }) {
  const [progress, setProgress] = useState<Progress | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const start = async (form: Form) => {
    const own = new AbortController()
    running.current = own
    const nothing = { rows: 0, isOver: false, isCancelled: false, error: null }
    setProgress(nothing)
    let rows = 0
    const show = (count: number) => {
      rows = count
      if (!own.signal.aborted) setProgress({ ...nothing, rows })
    }
    try {
      await lists[list](shop, form, show, own.signal)
      setProgress({ ...nothing, rows, isOver: true })
    } catch (error) {
      setProgress(
        own.signal.aborted ? { ...nothing, isOver: true, isCancelled: true } : { ...nothing, isOver: true, error },
      )
    }
  }
  const isRunning = progress !== null && !progress.isOver
  return (
    <>
      <span role="status" class="soft">
        {progress !== null && progress.error === null && wordsOf(progress)}
      </span>
      <span class="buttons">
        {isRunning ? (
          <button type="button" onClick={() => running.current?.abort()}>
            {words.cancel}
          </button>
        ) : (
          forms.map((form) => (
            <button
              type="button"
              key={form}
              aria-label={text.as(words.list.exportAs[form], words.screens[list])}
              onClick={() => void start(form)}
            >
              {words.list.exportAs[form]}
            </button>
          ))
        )}
      </span>
      {progress !== null && progress.error !== null && <Problem error={progress.error} />}
    </>
  )
}

function wordsOf({ rows, isOver, isCancelled }: Progress): string {
  if (isCancelled) return text.cancelled
  return isOver ? text.saved(rows) : text.running(rows)
}
