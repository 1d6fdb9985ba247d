// A tar file of small files, in the form ustar of POSIX. docs/spec/archives.md#file
// Each file is held in memory: those of an archive are a few megabytes.
import { refused } from '../failure.ts'

export type TarFile = { name: string; content: Buffer }

const BLOCK = 512
const FILE_BYTES_MAX = 256 * 1024 * 1024
const END = Buffer.alloc(2 * BLOCK)

/** The bytes of a tar file; `at` is the time of its files. */
export async function* packed(files: AsyncIterable<TarFile>, at: Date): AsyncGenerator<Buffer, void> {
  for await (const { name, content } of files) {
    yield headerOf(name, content.length, at)
    yield content
    yield Buffer.alloc(paddingOf(content.length))
  }
  yield END
}

/** The files in a tar file, in their order. Throws where it is damaged or ends early. */
export async function* unpacked(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarFile, void> {
  const reader = openReader(chunks)
  for (;;) {
    const header = await reader.take(BLOCK)
    if (header.every((byte) => byte === 0)) return
    const size = sizeIn(header)
    const type = String.fromCharCode(header.readUInt8(156))
    const content = await reader.take(size)
    await reader.take(paddingOf(size))
    // `0` and NUL are files; `x` and `g` hold further facts about them, `5` is a folder.
    if (type === '0' || type === '\0') yield { name: nameIn(header), content }
    else if (!'xg5'.includes(type)) throw refused('The archive holds something that is neither a file nor a folder.')
  }
}

function headerOf(name: string, size: number, at: Date): Buffer {
  const header = Buffer.alloc(BLOCK)
  if (Buffer.byteLength(name) > 100) throw new Error('A name in an archive is too long.')
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o644, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(size, 12), 124)
  header.write(octal(Math.floor(at.getTime() / 1_000), 12), 136)
  header.write(' '.repeat(8), 148)
  header.write('0', 156)
  header.write('ustar\0' + '00', 257)
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

function sizeIn(header: Buffer): number {
  const stated = numberAt(header, 148, 8)
  const own = Buffer.from(header)
  own.write(' '.repeat(8), 148)
  const size = numberAt(header, 124, 12)
  if (stated !== checksumOf(own)) throw refused('The archive is damaged: the header of a file is not valid.')
  if (size > FILE_BYTES_MAX) throw refused(`The archive holds a file of more than ${FILE_BYTES_MAX} bytes.`)
  return size
}

function numberAt(header: Buffer, at: number, length: number): number {
  const text = header.toString('latin1', at, at + length).replaceAll(/[\0 ]/g, '')
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN
}

// Other programs write `./orders/000001.ndjson`, and long names in two parts.
function nameIn(header: Buffer): string {
  const text = (at: number, length: number) => header.toString('utf8', at, at + length).split('\0')[0] ?? ''
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? text(345, 155) : ''
  return `${prefix === '' ? '' : `${prefix}/`}${text(0, 100)}`.replace(/^\.\//, '')
}

function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte) => sum + byte, 0)
}

function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK
}

function openReader(chunks: AsyncIterable<Buffer>) {
  const source = chunks[Symbol.asyncIterator]()
  let held: Buffer[] = []
  let bytes = 0
  return {
    /** The next bytes. Throws where the file ends before them. */
    async take(length: number): Promise<Buffer> {
      while (bytes < length) {
        const next = await source.next()
        if (next.done === true) throw refused('The archive is not complete: it ends in the middle.')
        held.push(next.value)
        bytes += next.value.length
      }
      const all = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held)
      held = [all.subarray(length)]
      bytes -= length
      return all.subarray(0, length)
    },
  }
}
