// The pictures of the documents have at most 256 colours (palette.ts).
import { deflateSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { readPixels, reduceColours } from './palette.ts'

/** A PNG of rows that begin with the number of their filter, without checksums. */
function pngOf(width: number, rows: number[][]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(rows.length, 4)
  header.set([8, 2], 8)
  const part = (name: string, data: Buffer) => {
    const framed = Buffer.alloc(data.length + 12)
    framed.writeUInt32BE(data.length, 0)
    framed.write(name, 4)
    data.copy(framed, 8)
    return framed
  }
  return Buffer.concat([Buffer.alloc(8), part('IHDR', header), part('IDAT', deflateSync(Buffer.from(rows.flat())))])
}

test('a picture with few colours keeps every pixel, whatever filters its rows have', () => {
  const png = pngOf(2, [
    [0, 10, 20, 30, 40, 50, 60],
    [1, 10, 20, 30, 30, 30, 30],
    [2, 0, 0, 0, 0, 0, 0],
    [3, 5, 10, 15, 15, 15, 15],
    [4, 0, 0, 0, 0, 0, 0],
  ])
  const colours = Buffer.from(Array.from({ length: 5 }, () => [10, 20, 30, 40, 50, 60]).flat())
  expect(readPixels(png)).toEqual({ width: 2, height: 5, colours })
  expect(readPixels(reduceColours(png))).toEqual({ width: 2, height: 5, colours })
})

test('a colour beyond 256 becomes the nearest of them, and a rare hue stays', () => {
  const frequent = Array.from({ length: 256 }, (_, index) => [index, 0, 0])
  const row = [...frequent, ...frequent, [7, 1, 0], [0, 0, 255]]
  const { colours } = readPixels(reduceColours(pngOf(row.length, [[0, ...row.flat()]])))
  expect([...colours.subarray(-6)]).toEqual([7, 0, 0, 0, 0, 255])
  expect(new Set(Array.from({ length: row.length }, (_, pixel) => colours.readUIntBE(pixel * 3, 3))).size).toBe(256)
})
