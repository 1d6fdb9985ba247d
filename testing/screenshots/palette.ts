// Makes a PNG of a browser smaller: 256 of its colours become a palette, and each other colour the nearest of them.
import { crc32, deflateSync, inflateSync } from 'node:zlib'

export type Pixels = { width: number; height: number /** Three bytes a pixel. */; colours: Buffer }

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const PALETTE_MAX = 256
const ALWAYS = 64 // The most frequent colours. The others are taken where no taken one is near, so that a rare hue stays.
const NEAR = 18 ** 2
const PALETTE_TYPE = 3

/** `png` has eight bits a channel, red, green and blue with or without alpha, and is not interlaced. */
export function reduceColours(png: Buffer): Buffer {
  const { width, height, colours } = readPixels(png)
  const counts = new Map<number, number>()
  for (let at = 0; at < colours.length; at += 3) {
    const colour = colours.readUIntBE(at, 3)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const palette = paletteOf([...counts].toSorted(([, one], [, other]) => other - one).map(([colour]) => colour))
  const indexOf = new Map(palette.map((colour, index) => [colour, index]))
  for (const colour of counts.keys()) {
    if (!indexOf.has(colour)) indexOf.set(colour, nearest(colour, palette))
  }
  const rows = Buffer.alloc(height * (width + 1)) // A zero, no filter, begins each row.
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const row = Math.floor(pixel / width)
    rows[pixel + row + 1] = indexOf.get(colours.readUIntBE(pixel * 3, 3)) ?? 0
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, PALETTE_TYPE], 8)
  const table = Buffer.alloc(palette.length * 3)
  for (const [index, colour] of palette.entries()) table.writeUIntBE(colour, index * 3, 3)
  const parts = [chunk('IHDR', header), chunk('PLTE', table), chunk('IDAT', deflateSync(rows, { level: 9 }))]
  return Buffer.concat([SIGNATURE, ...parts, chunk('IEND', Buffer.alloc(0))])
}

/** `colours` has the most frequent first. */
function paletteOf(colours: number[]): number[] {
  if (colours.length <= PALETTE_MAX) return colours
  const taken = colours.slice(0, ALWAYS)
  for (const colour of colours.slice(ALWAYS)) {
    if (taken.length < PALETTE_MAX && taken.every((other) => distance(colour, other) > NEAR)) taken.push(colour)
  }
  const rest = colours.filter((colour) => !taken.includes(colour))
  return [...taken, ...rest].slice(0, PALETTE_MAX)
}

function nearest(colour: number, palette: number[]): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY]
  for (const [index, other] of palette.entries()) {
    const apart = distance(colour, other)
    if (apart < least) [best, least] = [index, apart]
  }
  return best
}

function distance(one: number, other: number): number {
  const apart = (bits: number) => (((one >> bits) & 255) - ((other >> bits) & 255)) ** 2
  return apart(16) + apart(8) + apart(0)
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}

/** The pixels of a PNG as `reduceColours` takes it, or as it makes it. */
export function readPixels(png: Buffer): Pixels {
  const parts = new Map<string, Buffer[]>()
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12) {
    const name = png.toString('latin1', at + 4, at + 8)
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at))
    parts.set(name, [...(parts.get(name) ?? []), data])
  }
  const header = parts.get('IHDR')?.[0] ?? Buffer.alloc(13)
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const channels = { 2: 3, 3: 1, 6: 4 }[header[9] ?? 0]
  if (header[8] !== 8 || channels === undefined || header[12] !== 0)
    throw new Error('The PNG has a form that is not read.')
  const bytes = unfiltered(inflateSync(Buffer.concat(parts.get('IDAT') ?? [])), width * channels, channels)
  const palette = parts.get('PLTE')?.[0]
  const colours = Buffer.alloc(width * height * 3)
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const start = palette === undefined ? pixel * channels : (bytes[pixel] ?? 0) * 3
    colours.set((palette ?? bytes).subarray(start, start + 3), pixel * 3)
  }
  return { width, height, colours }
}

/** Undoes the filter that the first byte of each row names: none, left, above, their average, or the nearest of three. */
function unfiltered(rows: Buffer, rowBytes: number, step: number): Buffer {
  const height = rows.length / (rowBytes + 1)
  const out = Buffer.alloc(height * rowBytes)
  for (let row = 0; row < height; row += 1) {
    const filter = rows[row * (rowBytes + 1)]
    for (let column = 0; column < rowBytes; column += 1) {
      const at = row * rowBytes + column
      const left = column < step ? 0 : (out[at - step] ?? 0)
      const above = row === 0 ? 0 : (out[at - rowBytes] ?? 0)
      const corner = row === 0 || column < step ? 0 : (out[at - rowBytes - step] ?? 0)
      const expected = [0, left, above, (left + above) >> 1, ofThree(left, above, corner)][filter ?? 0] ?? 0
      out[at] = (rows[at + row + 1] ?? 0) + expected
    }
  }
  return out
}

function ofThree(left: number, above: number, corner: number): number {
  const sum = left + above - corner
  const [toLeft, toAbove, toCorner] = [Math.abs(sum - left), Math.abs(sum - above), Math.abs(sum - corner)]
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}
