// Answers that the product gave, for the OpenAPI document; deploy/examples.test.ts records them.
// docs/spec/reference.md#openapi-documents
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** By id of the operation. */
export const examples = JSON.parse(readFileSync(join(import.meta.dirname, 'examples.json'), 'utf8')) as {
  operations: { [id: string]: unknown }
}
