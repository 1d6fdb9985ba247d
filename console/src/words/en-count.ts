// Numbers in texts.

/** A number with its noun: "1 row", "2,000 rows". */
export function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}
