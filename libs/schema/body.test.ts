// From a JSON body to params: names change their case, values stay. docs/spec/objects.md#field-names
import { describe, expect, test } from '@jest/globals'
import { bodyReader, bodySchema } from './body.ts'

const read = bodyReader('contacts.upsert', [])

describe('a body', () => {
  test('has the fields of the action in the case of the wire, but none that is in the path', () => {
    expect(Object.keys(bodySchema('contacts.upsert', []).shape)).toEqual([
      ...['email', 'phone', 'name', 'tags', 'sendOptIn'],
    ])
    expect(Object.keys(bodySchema('contacts.tag', ['id']).shape)).toEqual(['add', 'remove'])
  })

  test('becomes params with unchanged values; unknown fields are left out, also the snake_case name of a param', () => {
    expect(read({ email: ' A@b.c ', sendOptIn: true, send_opt_in: false, marketingConsentAt: 1 })).toEqual({
      email: ' A@b.c ',
      send_opt_in: true,
      phone: undefined,
      name: undefined,
      tags: undefined,
    })
  })

  test('is refused with the name of the field in the body', () => {
    expect(() => read({ email: 'a@b.c', sendOptIn: 'yes' })).toThrow('sendOptIn must be true or false.')
  })
})
