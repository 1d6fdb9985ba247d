// Owns a JSON document as a JSON string: the body of REST once more as text (mcp.md, structuredContent and content).

/**
 * What `JSON.stringify` makes of the text of the document; `json` is UTF-8. Read as Latin-1 each byte is a letter, and those that
 * JSON escapes are all below 128, so nothing is decoded: one letter outside of Latin-1 makes that twice as dear.
 */
export function jsonText(json: Buffer): Buffer {
  return Buffer.from(JSON.stringify(json.toString('latin1')), 'latin1')
}
