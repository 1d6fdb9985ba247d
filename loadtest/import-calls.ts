// Owns the calls of the import tries to the back office: a shop, and a file sent as the command line sends it.
import { createReadStream, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { ImportRecord } from '#contracts/import-record'
import type { ImportHouse } from './import-house.ts'

type Address = Pick<ImportHouse, 'adminUrl' | 'token'>

export async function makeShop({ adminUrl, token }: Address, handle: string, currency: string): Promise<string> {
  const response = await fetch(`${adminUrl}/shops`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ handle, name: handle, currency, timeZone: 'Europe/London', country: 'GB' }),
  })
  const body = (await response.json()) as { data: { id: string } }
  if (response.status !== 201) throw new Error(`A shop could not be made: ${JSON.stringify(body)}`)
  return body.data.id
}

/** The finished import. Throws where no answer comes. */
export async function sendFile(
  { adminUrl, token }: Address,
  shop: string,
  path: string,
  query = '',
): Promise<ImportRecord> {
  const response = await fetch(`${adminUrl}/shops/${shop}/imports${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'text/csv',
      'content-length': String(statSync(path).size),
    },
    body: Readable.toWeb(createReadStream(path)) as ReadableStream,
    duplex: 'half',
    signal: AbortSignal.timeout(WAIT_MS),
  } as RequestInit)
  const body = (await response.json()) as { data: ImportRecord }
  if (response.status !== 201)
    throw new Error(`An import was answered with ${response.status}: ${JSON.stringify(body)}`)
  return body.data
}

const WAIT_MS = 3_600_000
