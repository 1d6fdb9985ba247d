// A cursor opens for the list that it was issued for, and for nothing else. docs/spec/rest-api.md#cursors
// docs/spec/security.md#cursors
import { createSecretKey, randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  type CursorScope,
  openCursor,
  openIdCursor,
  openNumberCursor,
  signCursor,
  signIdCursor,
  signNumberCursor,
} from './cursor.ts'

const newest = createSecretKey(Buffer.alloc(32, 1))
const before = createSecretKey(Buffer.alloc(32, 2))
const scope: CursorScope = { keys: [newest, before], resource: 'orders', shopId: randomUUID(), filter: '[]' }
const position = { createdAt: new Date('2026-08-12T09:30:00.123Z'), id: randomUUID() }
const cursor = signCursor(position, scope)

/** The position, or that the cursor was refused; throws any other error. */
function opened(text: string, over: Partial<CursorScope> = {}): unknown {
  try {
    return openCursor(text, { ...scope, ...over })
  } catch (error) {
    expect(error).toMatchObject({ type: 'invalid_request', message: expect.stringMatching(/^cursor was not/) })
    return 'refused'
  }
}

describe('a cursor', () => {
  test('returns the position that it was made of', () => {
    const instant = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(instant, fc.uuid(), (createdAt, id) => {
        expect(opened(signCursor({ createdAt, id }, scope))).toEqual({ createdAt, id })
      }),
    )
  })

  test('of a number returns that number, and is refused where a row is meant; so is the reverse', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (number) => {
        const numbered = signNumberCursor(number, scope)
        expect(openNumberCursor(numbered, scope)).toBe(number)
        expect(opened(numbered)).toBe('refused')
      }),
    )
    const foreign = signNumberCursor(1, { ...scope, shopId: randomUUID() })
    for (const other of [cursor, foreign, '']) {
      expect(() => openNumberCursor(other, scope)).toThrow(/^cursor was not issued/)
    }
  })

  test('of an id returns that id, and is refused where a row or a number is meant; so is the reverse', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        const ofId = signIdCursor(id, scope)
        expect(openIdCursor(ofId, scope)).toBe(id)
        expect(opened(ofId)).toBe('refused')
        expect(() => openNumberCursor(ofId, scope)).toThrow(/^cursor was not issued/)
      }),
    )
    for (const other of [
      cursor,
      signNumberCursor(1, scope),
      signIdCursor(position.id, { ...scope, filter: 'other' }),
    ]) {
      expect(() => openIdCursor(other, scope)).toThrow(/^cursor was not issued/)
    }
  })

  test('signed before the secret was rotated still opens, and no longer once that secret is gone', () => {
    const old = signCursor(position, { ...scope, keys: [before] })
    expect(opened(old)).toEqual(position)
    expect(opened(old, { keys: [newest] })).toBe('refused')
  })

  test.each([
    ['another shop', { shopId: randomUUID() }],
    ['another list', { resource: 'contacts' }],
    ['another filter', { filter: '[["status","new"]]' }],
  ])('is refused for %s', (_name, over) => {
    expect(opened(cursor, over)).toBe('refused')
  })

  test('cannot move a part of its scope into the next one', () => {
    const joined = { ...scope, resource: `orders","${scope.shopId}`, shopId: 'x' }
    expect(opened(signCursor(position, joined))).toBe('refused')
  })

  test('is refused with any one of its 320 bits flipped', () => {
    const bytes = Buffer.from(cursor, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const edited = Buffer.from(bytes)
      edited[bit >> 3] = (edited[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(opened(edited.toString('base64url'))).toBe('refused')
    }
  })

  test('has one spelling only', () => {
    const spellings = [
      `${cursor}=`,
      ` ${cursor}`,
      `${cursor}\n`,
      cursor.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ]
    spellings.push(Buffer.from(cursor, 'base64url').toString('base64').padEnd(56, '='))
    for (const text of spellings.filter((one) => one !== cursor)) expect(opened(text)).toBe('refused')
  })

  test('is refused when it is any other text', () => {
    const digit = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.string({ unit: digit, minLength: 54, maxLength: 54 }),
      fc.tuple(fc.nat(53), digit).map(([at, one]) => cursor.slice(0, at) + one + cursor.slice(at + 1)),
    )
    fc.assert(
      fc.property(text, (any) => {
        fc.pre(any !== cursor)
        expect(opened(any)).toBe('refused')
      }),
      { numRuns: 3_000 },
    )
  })
})
