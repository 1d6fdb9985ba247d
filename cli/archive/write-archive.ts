// `storefront archive`: everything of a shop as one file, read part by part and written as it arrives. docs/spec/archives.md
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { ARCHIVE_VERSION, MANIFEST, type PartName, partNames, SECRETS } from '#contracts/archive/parts'
import { SERVICE_VERSION } from '#contracts/versions'
import { whyUnusable } from '#files/unusable'
import type { BackOffice } from '../office/back-office.ts'
import { refused } from '../failure.ts'
import { fetchPart } from './fetch-part.ts'
import { type Manifest, openPart } from './manifest.ts'
import { encrypt } from './secrets.ts'
import { packed, type TarFile } from './tar.ts'

// A file of a part ends with the line that reaches this size, so the same lines always give the same files.
const FILE_BYTES = 4 * 1024 * 1024

export type Wanted = {
  /** `/shops/demo`. */
  shopPath: string
  out: string
  /** Under which the secrets are encrypted; null leaves them out. */
  passphrase: string | null
}

/** Writes the archive beside its place and moves it there when it is complete. Returns its manifest. */
export async function writeArchive(office: BackOffice, wanted: Wanted): Promise<Manifest> {
  const createdAt = new Date()
  const unfinished = `${wanted.out}.unfinished`
  const written: { manifest?: Manifest } = {}
  const files = filesOf(office, wanted, createdAt, (manifest) => void (written.manifest = manifest))
  const compressor = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  try {
    await pipeline(Readable.from(packed(files, createdAt)), compressor, createWriteStream(unfinished))
    await rename(unfinished, wanted.out)
  } catch (error) {
    await rm(unfinished, { force: true })
    const reason = whyUnusable(error)
    throw reason === null ? error : refused(`The file ${wanted.out} cannot be written: ${reason}.`)
  }
  if (written.manifest === undefined) throw new Error('An archive has no manifest.')
  return written.manifest
}

async function* filesOf(
  office: BackOffice,
  { shopPath, passphrase }: Wanted,
  createdAt: Date,
  onManifest: (manifest: Manifest) => void,
): AsyncGenerator<TarFile, void> {
  const parts: Manifest['parts'] = {}
  let shop: Manifest['shop'] | null = null
  for (const name of partNames) {
    if (name === SECRETS && passphrase === null) continue
    const part = openPart()
    for await (const { content, rows, number } of chunksOf(office, shopPath, name)) {
      if (name === 'shop') shop = shopIn(content)
      const isSecret = name === SECRETS && passphrase !== null
      const stored = isSecret ? await encrypt(content, passphrase) : content
      const file = isSecret ? `${name}.age` : `${name}/${String(number).padStart(6, '0')}.ndjson`
      part.add(file, stored, rows)
      yield { name: file, content: stored }
    }
    parts[name] = part.end()
  }
  if (shop === null) throw new Error('A shop has no row.')
  const manifest: Manifest = {
    object: 'archive',
    version: ARCHIVE_VERSION,
    apiVersion: SERVICE_VERSION,
    createdAt: createdAt.toISOString(),
    shop,
    parts,
  }
  onManifest(manifest)
  yield { name: MANIFEST, content: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) }
}

async function* chunksOf(office: BackOffice, shopPath: string, part: PartName) {
  let lines: Buffer[] = []
  let bytes = 0
  let number = 1
  for await (const line of fetchPart(office, shopPath, part)) {
    lines.push(line)
    bytes += line.length
    if (bytes < FILE_BYTES) continue
    yield { content: Buffer.concat(lines), rows: lines.length, number }
    number += 1
    lines = []
    bytes = 0
  }
  if (lines.length > 0) yield { content: Buffer.concat(lines), rows: lines.length, number }
}

function shopIn(line: Buffer): Manifest['shop'] {
  const { id, handle, name } = JSON.parse(line.toString()) as Manifest['shop']
  return { id, handle, name }
}
