// The files of an archive, unpacked one after the other. docs/spec/archives.md#file
import { createReadStream } from 'node:fs'
import { createZstdDecompress } from 'node:zlib'
import { MANIFEST, type PartName, isPartName } from '#contracts/archive/parts'
import { whyUnusable } from '#files/unusable'
import { refused } from '../failure.ts'
import { type TarFile, unpacked } from './tar.ts'

/** The part that a file belongs to; null for the manifest. Throws for a file that no archive has. */
export function partIn(name: string): PartName | null {
  if (name === MANIFEST) return null
  const part = name.replace(/(\/\d{6}\.ndjson|\.age)$/, '')
  if (part !== name && isPartName(part)) return part
  throw refused(`The archive holds a file that does not belong there: ${JSON.stringify(name)}.`)
}

/** The lines of a file, without their line feeds. Throws where the last one has none. */
export function linesIn(name: string, content: Buffer): string[] {
  const lines = content.toString('utf8').split('\n')
  if (lines.pop() === '') return lines
  throw refused(`The archive is damaged: the last line of ${name} is not complete.`)
}

/** Throws where the file cannot be read, is no archive, is damaged, or ends early. */
export async function* readArchive(file: string): AsyncGenerator<TarFile, void> {
  const source = createReadStream(file)
  const decompressor = createZstdDecompress()
  source.once('error', (error) => decompressor.destroy(error))
  try {
    yield* unpacked(source.pipe(decompressor))
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (!code.startsWith('ZSTD_error') && !code.startsWith('ERR_') && code !== 'Z_BUF_ERROR') {
      const reason = whyUnusable(error)
      throw reason === null ? error : refused(`The file ${file} cannot be read: ${reason}.`)
    }
    throw refused(`The file ${file} is no archive, is damaged, or is not complete: it cannot be decompressed.`)
  } finally {
    source.destroy()
    decompressor.destroy()
  }
}
