// Owns counting the records of a CSV file while it is sent: line breaks outside of quotes, without the header. Near enough
// for a bar; what a record is the importer says.

export type RecordCount = { add(chunk: Uint8Array): void; records(): number }

export function openRecordCount(): RecordCount {
  let lines = 0
  let isQuoted = false
  let last = newline
  return {
    add(chunk) {
      for (const byte of chunk) {
        if (byte === quote) isQuoted = !isQuoted
        else if (byte === newline && !isQuoted) lines += 1
      }
      last = chunk.at(-1) ?? last
    },
    records: () => Math.max(lines - 1 + (last === newline ? 0 : 1), 0),
  }
}

const quote = 0x22
const newline = 0x0a
