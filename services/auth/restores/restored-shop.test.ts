// The room on the disk that a restore needs (docs/spec/archives.md#checks).
import { expect, test } from '@jest/globals'
import { tmpdir } from 'node:os'
import { checkRoom, measureRoom } from './restored-shop.ts'

test('a disk without room for three times the archive is a conflict that names both numbers', async () => {
  const room = await measureRoom({ databaseFolder: tmpdir() }, 2 ** 50)
  expect(room.neededBytes).toBe(3 * 2 ** 50)
  expect(() => checkRoom(room)).toThrow(`has ${room.freeBytes} bytes left; the archive needs about ${3 * 2 ** 50}`)
  expect(() => checkRoom({ neededBytes: 10, freeBytes: 10 })).not.toThrow()
})

test('the disk of another database server is not known and refuses nothing', async () => {
  const room = await measureRoom({}, 2 ** 50)
  expect(room.freeBytes).toBeNull()
  expect(() => checkRoom(room)).not.toThrow()
})
