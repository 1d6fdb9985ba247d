// Tests the reading of query strings: text becomes what the action's schema wants, or a refusal that names the parameter.
import { describe, expect, test } from '@jest/globals'
import { queryReader } from './query.ts'

const readOrders = queryReader('orders.list', [])
const readProducts = queryReader('products.list', [])
const readContacts = queryReader('contacts.list', [])
const readOrder = queryReader('orders.get', ['id'])

describe('what passes', () => {
  test.each([
    ['', {}],
    ['limit=10&status=new', { limit: 10, status: 'new' }],
    ['limit=0010', { limit: 10 }],
    ['limit=99999999999999999999', { limit: 9_007_199_254_740_991 }],
    [`limit=${'9'.repeat(5_000)}`, { limit: 9_007_199_254_740_991 }],
    ['email=a%2Bb%40example.com', { email: 'a+b@example.com' }],
    ['email=a+b', { email: 'a+b' }],
    ['created_after=2026-01-01T00:00:00+02:00', { created_after: '2026-01-01T00:00:00+02:00' }],
    ['st%61tus=new', { status: 'new' }],
    ['email=', { email: '' }],
    ['email', { email: '' }],
    ['&&limit=1&', { limit: 1 }],
    ['email=a=b', { email: 'a=b' }],
  ])('%s', (query, params) => {
    expect(readOrders(query)).toEqual(params)
  })

  test('consented is read where it is true, also beside other values', () => {
    expect(readContacts('consented=x&consented=true&consented=%FF')).toEqual({ consented: 'true' })
    expect(readContacts('consented=TRUE&consented&limit=1')).toEqual({ limit: 1 })
  })

  test('booleans', () => {
    expect(readProducts('published=true')).toEqual({ published: true })
    expect(readProducts('published=false')).toEqual({ published: false })
  })

  test('unknown parameters are ignored, also twice, broken, or named like something every object has', () => {
    expect(readOrders('utm=1&utm=2&Limit=x&%FF=1&__proto__=1&constructor=2&x=%FF&limit%5B%5D=3')).toEqual({})
  })

  test('an id comes from the path only', () => {
    expect(readOrder('id=1&id=2')).toEqual({})
  })
})

describe('what is refused', () => {
  test.each(['1e2', '+5', '-1', '0x10', ' 5', '5 ', '', '1.0', '٣', 'ten', 'NaN', 'Infinity', '1_000'])(
    'limit=%s',
    (text) => {
      expect(() => readOrders(`limit=${encodeURIComponent(text)}`)).toThrow(
        'limit must be a positive integer, in digits only.',
      )
    },
  )

  test.each(['', 'TRUE', '1', 'yes', 'true '])('published=%s', (text) => {
    expect(() => readProducts(`published=${encodeURIComponent(text)}`)).toThrow('published must be true or false.')
  })

  test('a known parameter given twice, also under another spelling', () => {
    expect(() => readOrders('status=new&status=new')).toThrow('status is given more than once.')
    expect(() => readOrders('status=new&%73tatus=paid')).toThrow('status is given more than once.')
  })

  test.each(['tag=c++', 'tag=+vip', 'cursor=a+'])('%s, whose plus would be a space that is trimmed', (query) => {
    expect(() => readContacts(query)).toThrow('write a plus as %2B.')
  })

  test('a known parameter that is not UTF-8', () => {
    expect(() => readOrders('email=%E0%A4%A')).toThrow('email is not valid percent-encoded UTF-8.')
    expect(() => readOrders('email=%FF')).toThrow('email is not valid percent-encoded UTF-8.')
  })
})

describe('where unknown parameters are refused', () => {
  const strict = queryReader('orders.get', ['id'], { unknown: 'refused' })
  const strictShops = queryReader('shops.list', [], { unknown: 'refused' })

  test('the message names the parameter and lists the known ones', () => {
    expect(() => strictShops('limits=3')).toThrow(
      'limits is not a query parameter of this call; it takes cursor, handle, limit.',
    )
    expect(() => strict('id=3')).toThrow('id is not a query parameter of this call; it takes none.')
    expect(() => strict('%FF=3')).toThrow('A name in the query string is not a query parameter of this call')
    expect(() => strict('<b>=3')).toThrow('A name in the query string is not a query parameter of this call')
  })

  test('known and empty ones pass', () => {
    expect(strictShops('&limit=3&&handle=a')).toEqual({ limit: 3, handle: 'a' })
    expect(strict('')).toEqual({})
  })
})
