// Owns the calls of the import tries to the back office: a shop, and a file sent as the command line sends it.
import { createReadStream, statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { ImportRecord } from '#contracts/objects/import-record'
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
  // Not with fetch, which gives up on an answer that takes more than five minutes.
  const outgoing = request(`${adminUrl}/shops/${shop}/imports${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv', 'content-length': statSync(path).size },
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve)
    outgoing.once('error', reject)
  })
  createReadStream(path).pipe(outgoing)
  const answer = await answered
  const body = (await json(answer)) as { data: ImportRecord }
  if (answer.statusCode === 201) return body.data
  throw new Error(`An import was answered with ${answer.statusCode}: ${JSON.stringify(body)}`)
}
