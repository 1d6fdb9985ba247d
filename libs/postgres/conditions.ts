// Owns the numbering of placeholders: conditions with `?` in, one `where` text and its values out. A condition whose value
// is undefined is left out, so a list with optional filters reads as one table of conditions in its queries.ts.

type Condition = [sql: string, ...values: unknown[]]

/** `where` is the conditions joined with `and`; `next` adds a value behind them and gives its placeholder. */
export function conditions(list: (Condition | null)[]): {
  where: string
  values: unknown[]
  next(value: unknown): string
} {
  const values: unknown[] = []
  const next = (value: unknown) => `$${values.push(value)}`
  const used = list.filter(
    (condition) => condition !== null && condition.slice(1).every((value) => value !== undefined),
  )
  const texts = used.map((condition) => {
    const [sql, ...given] = condition as Condition
    let index = 0
    return sql.replaceAll('?', () => next(given[index++]))
  })
  return { where: texts.join(' and '), values, next }
}
