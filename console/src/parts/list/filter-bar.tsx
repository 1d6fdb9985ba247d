// The filters above a list, as words that can be changed.
import { useState } from 'preact/hooks'
import { go } from '../../frame/address.ts'
import { words } from '../../words/en.ts'
import { DropDown } from '../drop-down.tsx'
import { instantOfLocal, shopTime } from '../time.ts'
import { days, type Filter, isFixed, type ReadFilters, withFilter } from './filters.ts'

type FilterBarProps = {
  path: string
  filters: readonly Filter[]
  read: ReadFilters
  zone: string
}

export function FilterBar({ path, filters, read, zone }: FilterBarProps) {
  const { values } = read
  const set = (name: string, value: string | null) => go(path + withFilter(values, name, value))
  const open = filters.filter(({ name }) => !values.has(name))
  return (
    <div class="filters" role="group" aria-label={words.list.filters}>
      {filters
        .filter(({ name }) => values.has(name))
        .map((filter) => (
          <span class="filter" key={filter.name}>
            <DropDown label={<FilterWords filter={filter} value={values.get(filter.name) ?? ''} zone={zone} />}>
              {(close) => (
                <Editor filter={filter} value={values.get(filter.name) ?? ''} zone={zone} set={set} close={close} />
              )}
            </DropDown>
            {!isFixed(filter) && (
              <button
                type="button"
                class="remove"
                aria-label={words.list.removeFilter(labelOf(filter.name))}
                onClick={() => set(filter.name, null)}
              >
                <span aria-hidden="true">×</span>
              </button>
            )}
          </span>
        ))}
      {open.length > 0 && (
        <DropDown label={words.list.addFilter} className="add">
          {(close) => <NewFilter filters={open} zone={zone} set={set} close={close} />}
        </DropDown>
      )}
      {read.leftOut.length > 0 && (
        <p class="left-out" role="status">
          {words.list.leftOut(read.leftOut.map(({ name, value }) => `${name}=${value.slice(0, 40)}`))}
        </p>
      )}
    </div>
  )
}

export function labelOf(name: string): string {
  const labels: Record<string, string> = words.filters
  return labels[name] ?? name
}

function FilterWords({ filter, value, zone }: { filter: Filter; value: string; zone: string }) {
  return (
    <>
      {labelOf(filter.name)} <em>{shownValue(filter, value, zone)}</em>
    </>
  )
}

function shownValue(filter: Filter, value: string, zone: string): string {
  const dayWords: Record<string, string> = words.days
  if (filter.kind === 'time') return dayWords[value] ?? shopTime(value, zone, new Date())
  if (filter.kind === 'one') return filter.options.get(value) ?? value
  return value.replaceAll(',', ', ')
}

type EditorProps = {
  filter: Filter
  value: string
  zone: string
  set: (name: string, value: string | null) => void
  close: () => void
}

function NewFilter({ filters, ...rest }: Omit<EditorProps, 'filter' | 'value'> & { filters: readonly Filter[] }) {
  const [name, setName] = useState<string | null>(null)
  const filter = filters.find((one) => one.name === name)
  if (filter !== undefined) return <Editor filter={filter} value="" {...rest} />
  return (
    <ul class="menu">
      {filters.map((one) => (
        <li key={one.name}>
          <button type="button" onClick={() => setName(one.name)}>
            {labelOf(one.name)}
          </button>
        </li>
      ))}
    </ul>
  )
}

function Editor(props: EditorProps) {
  if (props.filter.kind === 'choice')
    return <Choices {...props} values={props.filter.values} labels={props.filter.labels ?? {}} />
  if (props.filter.kind === 'one') return <OneOf {...props} options={props.filter.options} />
  if (props.filter.kind === 'time') return <Time {...props} />
  return <Word {...props} />
}

type ChoicesProps = EditorProps & { values: readonly string[]; labels: Readonly<Record<string, string>> }

function Choices({ filter, value, values, labels, set }: ChoicesProps) {
  const chosen = new Set(value === '' ? [] : value.split(','))
  const toggle = (one: string) => {
    const next = values.filter((known) => (known === one ? !chosen.has(one) : chosen.has(known)))
    set(filter.name, next.length === 0 ? null : next.join(','))
  }
  return (
    <fieldset class="choices">
      <legend>{labelOf(filter.name)}</legend>
      {values.map((one) => (
        <label key={one}>
          <input type="checkbox" checked={chosen.has(one)} onChange={() => toggle(one)} /> {labels[one] ?? one}
        </label>
      ))}
    </fieldset>
  )
}

function OneOf({ filter, value, options, set, close }: EditorProps & { options: ReadonlyMap<string, string> }) {
  return (
    <ul class="menu">
      {[...options].map(([one, label]) => (
        <li key={one}>
          <button
            type="button"
            aria-pressed={one === value}
            onClick={() => {
              set(filter.name, one)
              close()
            }}
          >
            {label}
          </button>
        </li>
      ))}
    </ul>
  )
}

function Time({ filter, zone, set, close }: EditorProps) {
  const [local, setLocal] = useState('')
  const choose = (value: string | null) => {
    set(filter.name, value)
    close()
  }
  const typed = instantOfLocal(local, zone)
  return (
    <div class="choices">
      {Object.keys(days).map((day) => (
        <button type="button" key={day} onClick={() => choose(day)}>
          {words.days[day as keyof typeof words.days]}
        </button>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (typed !== null) choose(typed.toISOString())
        }}
      >
        <label>
          {words.list.instant(zone)}{' '}
          <input type="datetime-local" value={local} onInput={({ currentTarget }) => setLocal(currentTarget.value)} />
        </label>
        <button type="submit" disabled={typed === null}>
          {words.list.apply}
        </button>
      </form>
    </div>
  )
}

function Word({ filter, value, set, close }: EditorProps) {
  const [text, setText] = useState(value)
  return (
    <form
      class="choices"
      onSubmit={(event) => {
        event.preventDefault()
        set(filter.name, text.trim())
        close()
      }}
    >
      <label>
        {labelOf(filter.name)}{' '}
        <input
          type="text"
          inputMode={filter.kind === 'email' ? 'email' : 'text'}
          list={undefined}
          pattern={patternOf(filter)}
          required
          autofocus
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit">{words.list.apply}</button>
    </form>
  )
}

function patternOf(filter: Filter): string | undefined {
  if (filter.kind === 'id') return '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
  return filter.kind === 'word' ? filter.form?.source : undefined
}
