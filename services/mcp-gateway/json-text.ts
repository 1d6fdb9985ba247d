// Owns a JSON document as a JSON string: the body of REST once more as text (mcp.md, structuredContent and content). From
// bytes to bytes: as text on the heap a page of 41 KB is 130 KB that a small heap has to carry through its collections.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20

/** What `JSON.stringify` makes of the text of the document; `json` is UTF-8. */
export function jsonText(json: Buffer): Buffer {
  let escaped = 0
  for (const byte of json) {
    if (byte < SPACE) return Buffer.from(JSON.stringify(json.toString())) // Our own documents are in one line.
    if (byte === QUOTE || byte === BACKSLASH) escaped += 1
  }
  const text = Buffer.allocUnsafeSlow(json.length + escaped + 2)
  let end = 0
  text[end++] = QUOTE
  for (const byte of json) {
    if (byte === QUOTE || byte === BACKSLASH) text[end++] = BACKSLASH
    text[end++] = byte
  }
  text[end] = QUOTE
  return text
}
