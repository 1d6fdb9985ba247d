// The rows of a list: the first column is what a person calls the thing, and leads to it. The roles are named because a narrow window
// shows two lines a row, and a table that is laid out in another way is none to some screen readers.
import type { ComponentChildren } from 'preact'
import { words } from '../../words/en.ts'
import type { Choice } from './choice.ts'

export type Column<Row> = {
  label: string
  cell(row: Row): ComponentChildren
  /** At the right edge, by the decimal. */
  isNumber?: boolean
  /** Left out where the list stands beside an object, or on a narrow window. */
  isExtra?: boolean
}

type TableProps<Row> = {
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  idOf(row: Row): string
  hrefOf(row: Row): string
  openId: string | null
  chosen: Choice
  choose(ids: Choice): void
  isBusy: boolean
  label: string
  hasChoice: boolean
}

export function Table<Row>(props: TableProps<Row>) {
  const { columns, rows, idOf, hrefOf, openId, chosen, choose, isBusy, label, hasChoice } = props
  const ids = rows.map(idOf)
  const isChosen = (id: string) => chosen === 'all' || chosen.has(id)
  const toggle = (some: readonly string[], isOn: boolean) => {
    const next = new Set(chosen === 'all' ? ids : chosen)
    for (const id of some)
      if (isOn) next.add(id)
      else next.delete(id)
    choose(next)
  }
  const areAllChosen = ids.every(isChosen)
  return (
    <table class="rows" role="table" aria-busy={isBusy} aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {hasChoice && (
            <td class="choose" role="cell">
              <input
                type="checkbox"
                aria-label={words.list.choosePage}
                checked={areAllChosen}
                onChange={() => toggle(ids, !areAllChosen)}
              />
            </td>
          )}
          {columns.map(({ label: head, isNumber, isExtra }) => (
            <th key={head} scope="col" role="columnheader" class={classOf(isNumber, isExtra)}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row, place) => {
          const id = idOf(row)
          // Callers choose the ids of requests, so that two rows may have the same.
          const key = ids.indexOf(id) === place ? id : `${id} ${place}`
          return (
            <tr key={key} role="row" data-id={id} class={id === openId ? 'open' : isChosen(id) ? 'chosen' : ''}>
              {hasChoice && (
                <td class="choose" role="cell">
                  <input
                    type="checkbox"
                    aria-label={words.list.chooseRow(id)}
                    checked={isChosen(id)}
                    onChange={() => toggle([id], !isChosen(id))}
                  />
                </td>
              )}
              {columns.map(({ label: head, cell, isNumber, isExtra }, index) =>
                index === 0 ? (
                  <th key={head} scope="row" role="rowheader" class={classOf(isNumber, isExtra)}>
                    <a href={hrefOf(row)} aria-current={id === openId ? 'true' : undefined}>
                      {cell(row)}
                    </a>
                  </th>
                ) : (
                  <td key={head} role="cell" class={classOf(isNumber, isExtra)}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function classOf(isNumber = false, isExtra = false): string {
  return [isNumber ? 'number' : '', isExtra ? 'extra' : ''].filter((name) => name !== '').join(' ')
}
