// Asks before money is given back to many: the button repeats the sum. Of rows on the page the sum is known. Of others it is that of when
// they were read, and "all that match" are read first; nobody gets more than that.
import { useState } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { Form } from '../form.tsx'
import { type Money, moneySum, moneyWords } from '../money.ts'
import { Shown } from '../state.tsx'
import { type Choice, rowsOf } from './choice.ts'

export type MoneyBack<Row> = {
  /** What the row gets back; null where it gets nothing. */
  of(row: Row): Money | null
  /** Gives the sum back, and not more. */
  run(id: string, sum: Money): Promise<unknown>
  /** The button: of the sum and of how many rows; `isMost`: it may be less. */
  submit(facts: { sum: string; count: number; isMost: boolean }): string
  /** Where there is nothing to give back. */
  nothing: string
}
type MoneyQuestionProps<Row> = {
  money: MoneyBack<Row>
  chosen: Choice
  /** The rows that were read, by id. */
  seen: ReadonlyMap<string, Row>
  onPage: readonly string[]
  idOf(row: Row): string
  pages(signal: AbortSignal): AsyncIterable<{ data: Row[] }>
  give: (sums: ReadonlyMap<string, Money>) => void
  cancel: () => void
}

export function MoneyQuestion<Row>(props: MoneyQuestionProps<Row>) {
  const { money, chosen, seen, onPage, idOf, pages, give, cancel } = props
  const [readAt] = useState(() => Date.now())
  const rows = useLoad<Row[]>(`money back ${readAt}`, async (signal) => {
    if (chosen !== 'all') return [...chosen].flatMap((id) => seen.get(id) ?? [])
    const all: Row[] = []
    for await (const row of rowsOf(pages(signal))) all.push(row)
    return all
  })
  const isMost = chosen === 'all' || ![...chosen].every((id) => onPage.includes(id))
  return (
    <div class="panel-form">
      <Shown of={rows} rows={1}>
        {(found) => {
          const sums = new Map<string, Money>()
          for (const row of found) {
            const sum = money.of(row)
            if (sum !== null) sums.set(idOf(row), sum)
          }
          const whole = moneySum([...sums.values()])
          if (whole === null) return <p role="status">{money.nothing}</p>
          const submit = money.submit({ sum: moneyWords(whole), count: sums.size, isMost })
          return (
            <Form
              submit={submit}
              isDangerous
              cancel={cancel}
              send={() => {
                give(sums)
                return Promise.resolve()
              }}
            />
          )
        }}
      </Shown>
    </div>
  )
}
