// The stored forms of email and phone, and the name of a contact without one.
// docs/spec/objects.md#email-addresses docs/spec/objects.md#phone-numbers
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { getCountries, getExampleNumber } from 'libphonenumber-js/min'
import examples from 'libphonenumber-js/examples.mobile.json'
import { emailKey, fallbackName, normaliseEmail, normalisePhone } from './person.ts'

describe('email', () => {
  test.each([
    ['ada@example.com', 'ada@example.com'],
    ['  Ada.Lovelace@Example.COM \u200b', 'Ada.Lovelace@example.com'],
    ['ada+shop@example.co.uk', 'ada+shop@example.co.uk'],
    ["o'neil@example.com", "o'neil@example.com"],
    ['ada@Bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@bu\u0308cher.example', 'ada@xn--bcher-kva.example'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah'],
    ['ada@123.example', 'ada@123.example'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%j is stored as %j', (text, email) => {
    expect(normaliseEmail(text)).toBe(email)
  })

  test.each([
    ...['', ' ', 'ada', '@', 'ada@', '@example.com', 'ada@example', 'ada@@example.com', 'ada@x@example.com'],
    ...[
      'a da@example.com',
      'ada@exa mple.com',
      'ada\r\nbcc: eve@example.com',
      'ada@example.com\r\nBcc: eve@example.com',
    ],
    ...['ada\u0000@example.com', 'a\u200bda@example.com', 'ada\ud800@example.com', 'ada@exam\ud800ple.com'],
    ...['.ada@example.com', 'ada.@example.com', 'a..da@example.com', '"ada"@example.com', 'Ada <ada@example.com>'],
    ...['ada@example..com', 'ada@example.com.', 'ada@-example.com', 'ada@example-.com', 'ada@exa_mple.com'],
    ...[
      'ada@[127.0.0.1]',
      'ada@127.0.0.1',
      'ada@1.2',
      'ada@ex%61mple.com',
      'ada@example.com/path',
      'ada@example.com:25',
    ],
    ...[`ada@${'x'.repeat(64)}.com`, `${'a'.repeat(65)}@example.com`],
  ])('%j cannot be an email', (text) => {
    expect(normaliseEmail(text)).toBeNull()
  })

  test('254 characters pass, 255 do not', () => {
    const domain = (length: number) => `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(length - 128)}`
    expect(normaliseEmail(`${'x'.repeat(64)}@${domain(189)}`)).toHaveLength(254)
    expect(normaliseEmail(`${'x'.repeat(64)}@${domain(190)}`)).toBeNull()
  })

  test('a megabyte gets its answer', () => {
    expect(normaliseEmail(`${'a.'.repeat(500_000)}@example.com`)).toBeNull()
    expect(normaliseEmail(`a@${'a.'.repeat(500_000)}com`)).toBeNull()
  })

  test('the stored form of a stored form is itself', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          fc.string({ unit: 'grapheme' }).map((text) => `${text}@${text}.de`),
        ),
        (text) => {
          const email = normaliseEmail(text)
          expect(email === null ? null : normaliseEmail(email)).toBe(email)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('spellings of one address share a key', () => {
    expect(emailKey('Ada.Lovelace@example.com')).toBe('ada.lovelace@example.com')
    expect(emailKey('ADA@example.com')).toBe(emailKey('ada@example.com'))
  })
})

describe('phone', () => {
  test.each([
    ['+44 20 7946 0958', null, '+442079460958'],
    ['020 7946 0958', 'GB', '+442079460958'],
    ['00 44 20 7946 0958', 'DE', '+442079460958'],
    ['+44 (0)20 7946 0958', null, '+442079460958'],
    ['\u200e+44 20 7946 0958\u200e', 'US', '+442079460958'],
    ['(201) 555-0123', 'US', '+12015550123'],
    ['+49 30 12345678', 'GB', '+493012345678'],
    ['+39 06 1234 5678', null, '+390612345678'],
    ['٠١٧١٢٣٤٥٦٧٨', 'BD', '+8801712345678'],
    ['+8801712345678', null, '+8801712345678'],
    ['+88001712345678', null, '+8801712345678'],
    ['+880001712345678', null, '+8801712345678'],
    ['+440020 7946 0958', null, '+442079460958'],
  ])('%j read with %s is %s', (text, country, phone) => {
    expect(normalisePhone(text, country)).toBe(phone)
  })

  test.each([
    ['', 'GB'],
    ['555-0142', 'US'],
    ['020 7946 0958', null],
    ['020 7946 0958', 'XX'],
    ['112', 'GB'],
    ['+', 'GB'],
    ['+999 123 456 789', 'GB'],
    ['020 7900 12345 99', 'GB'],
    ['+4420079460958123', null],
    ['call +44 20 7946 0958', 'GB'],
    ['020 7946 0958 ext 5', 'GB'],
    ['+44 20 7946 0958;ext=5', null],
    ['not a phone', 'GB'],
    ['9'.repeat(100_000), 'GB'],
  ])('%j read with %s cannot be a phone', (text, country) => {
    expect(normalisePhone(text, country)).toBeNull()
  })

  test('the mobile numbers of every country are read, as dialled at home and abroad', () => {
    const unread = getCountries().filter((country) => {
      const example = getExampleNumber(country, examples)
      if (example === undefined) return false
      const read = [
        normalisePhone(example.formatNational(), country),
        normalisePhone(example.formatInternational(), 'US'),
        normalisePhone(example.number, null),
      ]
      return read.some((phone) => phone !== example.number)
    })
    expect(unread).toEqual([])
  })

  test('the normal form of a normal form is itself, for every country', () => {
    const country = fc.constantFrom('GB', 'US', 'DE', 'IT', 'BD', 'AR', 'MX', 'BR', 'RU', 'CI', null)
    const digits = fc.string({ unit: fc.constantFrom(...'00123456789 '), minLength: 5, maxLength: 16 })
    const text = fc.tuple(fc.constantFrom('', '+', '0', '+880', '+440', '+39', '+549', '+52', '+7'), digits)
    fc.assert(
      fc.property(text, country, country, (parts, first, second) => {
        const phone = normalisePhone(parts.join(''), first)
        if (phone === null) return
        expect(phone).toMatch(/^\+[1-9]\d{1,14}$/)
        expect(normalisePhone(phone, second)).toBe(phone)
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('name', () => {
  test.each([
    ['Ada', 'ada@example.com', '+442079460958', 'Ada'],
    [' Ada ', null, null, ' Ada '],
    [null, 'ada@example.com', '+442079460958', 'ada@example.com'],
    ['', 'ada@example.com', null, 'ada@example.com'],
    [' \u200b', null, '+442079460958', '+442079460958'],
    [null, null, null, 'Contact'],
  ])('of %j, %j, %j is %j', (name, email, phone, stored) => {
    expect(fallbackName(name, email, phone)).toBe(stored)
  })
})
