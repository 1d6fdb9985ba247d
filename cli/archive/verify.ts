// Checks an archive without any server: version, digests, counts, fields and order of rows. docs/spec/archives.md#verify
import { createHash, type Hash } from 'node:crypto'
import { archiveParts, MANIFEST, type PartName, partOf, SECRETS } from '#contracts/archive/parts'
import type { ColumnType } from '#contracts/archive/rows'
import { refused } from '../failure.ts'
import { digestOf, type Manifest, type ManifestFile, readManifest } from './manifest.ts'
import { linesIn, partIn, readArchive } from './read-archive.ts'
import { type Dangling, openReferences } from './references.ts'

/** `digest`: of manifest.json, which names the archive. `shop`: the row of the part `shop`. `secrets`: as they are encrypted. */
export type Verified = {
  manifest: Manifest
  digest: string
  shop: Row
  secrets: Buffer | null
  bytes: number
  dangling: Dangling
}
type Row = Record<string, unknown>
type Found = { files: ManifestFile[]; rows: number; bytes: number; hash: Hash; last: unknown }

/** Throws for the first thing that is wrong. */
export async function verifyArchive(file: string): Promise<Verified> {
  const found = new Map<PartName, Found>()
  const references = openReferences()
  let manifest: { content: Buffer } | null = null
  let shop: Row | null = null
  let secrets: Buffer | null = null
  for await (const { name, content } of readArchive(file)) {
    if (manifest !== null) throw damaged(`there is a file behind ${MANIFEST}`)
    const part = partIn(name)
    if (part === null) {
      manifest = { content }
      continue
    }
    const at = found.get(part) ?? { files: [], rows: 0, bytes: 0, hash: createHash('sha256'), last: null }
    found.set(part, at)
    let count = 0
    if (part === SECRETS) secrets = content
    else {
      for (const line of linesIn(name, content)) {
        const row = rowIn(part, name, line)
        checkOrder(part, name, row, at)
        references.add(part, row)
        if (part === 'shop') shop = row
        count += 1
      }
    }
    at.files.push({ name, rows: count, bytes: content.length, sha256: digestOf(content) })
    at.rows += count
    at.bytes += content.length
    at.hash.update(content)
  }
  if (manifest === null) throw refused(`The archive is not complete: it has no ${MANIFEST}.`)
  const read = readManifest(manifest.content)
  compare(read, found)
  if (shop === null) throw damaged('it has no row of the shop')
  const bytes = [...found.values()].reduce((all, one) => all + one.bytes, 0)
  return { manifest: read, digest: digestOf(manifest.content), shop, secrets, bytes, dangling: references.dangling() }
}

function compare({ parts }: Manifest, found: Map<PartName, Found>): void {
  for (const name of Object.keys(archiveParts) as PartName[]) {
    const stated = parts[name]
    const own = found.get(name)
    if (stated === undefined && own === undefined && name === SECRETS) continue
    if (stated === undefined) throw damaged(`${MANIFEST} does not name the part ${name}`)
    if (name === 'shop' && stated.rows !== 1) throw damaged('a shop has one row')
    const files = own?.files ?? []
    for (const file of stated.files) {
      const there = files.find((one) => one.name === file.name)
      if (there === undefined) throw damaged(`the file ${file.name} is missing`)
      if (there.sha256 !== file.sha256 || there.bytes !== file.bytes) {
        throw damaged(`${file.name} is not as it was written: its digest is another one`)
      }
      if (name !== SECRETS && there.rows !== file.rows) {
        throw damaged(`${file.name} has ${there.rows} rows, and ${MANIFEST} says ${file.rows}`)
      }
    }
    const surplus = files.find((one) => !stated.files.some((file) => file.name === one.name))
    if (surplus !== undefined) throw damaged(`${MANIFEST} does not name the file ${surplus.name}`)
    const rows = stated.files.reduce((sum, one) => sum + one.rows, 0)
    if (rows !== stated.rows)
      throw damaged(`the files of ${name} have ${rows} rows, and ${MANIFEST} says ${stated.rows}`)
    const digest = own?.hash.digest('hex') ?? digestOf(Buffer.alloc(0))
    if (digest !== stated.sha256) throw damaged(`the files of ${name} are in another order than in ${MANIFEST}`)
  }
}

function rowIn(part: PartName, name: string, line: string): Row {
  const { columns, inner = {} } = partOf(part).rows
  const row = parsed(line)
  if (row === null || !hasFields(row, [...Object.keys(columns), ...Object.keys(inner)])) {
    throw damaged(`${name} has a row that is not in the form of ${part}`)
  }
  for (const [field, format] of Object.entries(inner)) {
    const list = row[field]
    const isWhole = Array.isArray(list) && list.every((one) => hasFields(one, Object.keys(format.columns)))
    if (!isWhole) throw damaged(`${name} has a row whose ${field} are not in the form of ${part}`)
  }
  return row
}

function checkOrder(part: PartName, name: string, row: Row, at: Found): void {
  const { key, columns } = partOf(part).rows
  if (key === null) return
  const own = row[key]
  if (at.last !== null && !isBehind(own, at.last, columns[key] ?? 'id')) {
    throw damaged(`${name} has rows that are not in the order of ${key}`)
  }
  at.last = own
}

function isBehind(own: unknown, last: unknown, type: ColumnType): boolean {
  return type === 'integer' ? Number(own) > Number(last) : String(own) > String(last)
}

function hasFields(row: unknown, fields: string[]): row is Row {
  if (typeof row !== 'object' || row === null) return false
  return Object.keys(row).length === fields.length && fields.every((field) => Object.hasOwn(row, field))
}

function parsed(line: string): Row | null {
  try {
    return JSON.parse(line) as Row | null
  } catch {
    return null
  }
}

function damaged(what: string): Error {
  return refused(`The archive is damaged: ${what}.`)
}
