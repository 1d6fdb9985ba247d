// Answers and events that the product gave, for the OpenAPI document; deploy/examples.test.ts records them.
// docs/spec/reference.md#openapi-documents
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Examples = { events: { [kind: string]: unknown }; operations: { [id: string]: unknown } }

/** By event kind, and by id of the operation. */
export const examples = JSON.parse(readFileSync(join(import.meta.dirname, 'examples.json'), 'utf8')) as Examples
