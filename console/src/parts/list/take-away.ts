// Saves what a list shows as a file: page by page, so that the page does not hold a list of any length in memory.

type Page<Row> = { data: Row[] }
const PART_CHARACTERS = 1_000_000

/** Reads all pages into a file of the browser, which keeps large ones on the disk. `progress` gets the rows so far. */
export async function fileOfPages<Row>(
  pages: AsyncIterable<Page<Row>>,
  form: { type: string; open(first: Row | null): { head: string; text(row: Row): string } },
  progress: (rows: number) => void,
): Promise<Blob> {
  let file = new Blob([], { type: form.type })
  let lines: { head: string; text(row: Row): string } | null = null
  let text = ''
  let rows = 0
  const close = () => {
    file = new Blob([file, text], { type: form.type })
    text = ''
  }
  for await (const { data } of pages) {
    if (lines === null) {
      lines = form.open(data[0] ?? null)
      text = lines.head
    }
    for (const row of data) text += lines.text(row)
    rows += data.length
    if (text.length > PART_CHARACTERS) close()
    progress(rows)
  }
  close()
  return file
}

/** Hands a file to the browser as a download. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // The browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
