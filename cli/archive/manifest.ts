// manifest.json: what an archive holds, with a digest of every file. docs/spec/archives.md#manifest
import { createHash, type Hash } from 'node:crypto'
import { z } from 'zod'
import { ARCHIVE_VERSION, MANIFEST, partNames } from '#contracts/archive/parts'
import { refused } from '../failure.ts'

const count = z.int().min(0)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const file = z.object({ name: z.string(), rows: count, bytes: count, sha256 })
// `sha256`: of the contents of all files of the part, one after the other.
const part = z.object({ rows: count, bytes: count, sha256, files: z.array(file) })

const manifest = z.object({
  object: z.literal('archive'),
  version: z.int(),
  apiVersion: z.string(),
  createdAt: z.iso.datetime(),
  shop: z.object({ id: z.guid(), handle: z.string(), name: z.string() }),
  parts: z.partialRecord(z.enum(partNames), part),
})

export type Manifest = z.infer<typeof manifest>
export type ManifestPart = z.infer<typeof part>
export type ManifestFile = z.infer<typeof file>

/** The manifest in the file. Throws for another version of the format, and for what is no manifest. */
export function readManifest(content: Buffer): Manifest {
  const value = parsed(content)
  const { version } = (value ?? {}) as { version?: unknown }
  if (typeof version === 'number' && version !== ARCHIVE_VERSION) {
    throw refused(`The archive has version ${version} of the format; this command reads version ${ARCHIVE_VERSION}.`)
  }
  const read = manifest.safeParse(value)
  if (read.success) return read.data
  throw refused(`The archive is damaged: ${MANIFEST} is not valid.`)
}

export function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Collects the files of a part. */
export function openPart() {
  const files: ManifestFile[] = []
  const hash: Hash = createHash('sha256')
  return {
    add(name: string, content: Buffer, rows: number): void {
      files.push({ name, rows, bytes: content.length, sha256: digestOf(content) })
      hash.update(content)
    },
    /** The part, when all its files were added. */
    end(): ManifestPart {
      const sum = (field: 'rows' | 'bytes') => files.reduce((all, one) => all + one[field], 0)
      return { rows: sum('rows'), bytes: sum('bytes'), sha256: hash.digest('hex'), files }
    },
  }
}

function parsed(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString()) as unknown
  } catch {
    return null
  }
}
