// Proves country codes and the reading of country names. import-formats.md, row "Country".
import { describe, expect, test } from '@jest/globals'
import { countryFromName, isCountry } from './country.ts'
import { countryNames } from './country-names.ts'

describe('country code', () => {
  test('249 codes are assigned, each with a name', () => {
    expect(Object.keys(countryNames)).toHaveLength(249)
    expect(Object.values(countryNames).filter((names) => names.length === 0)).toEqual([])
  })

  test.each(['GB', 'US', 'DE', 'JO', 'AX', 'SS'])('%s is one', (code) => {
    expect(isCountry(code)).toBe(true)
  })

  test.each(['UK', 'EU', 'XK', 'ZZ', 'gb', 'GBR', '', 'GB ', '__proto__', 'constructor'])('%j is none', (code) => {
    expect(isCountry(code)).toBe(false)
  })
})

describe('country name', () => {
  test.each([
    ['United Kingdom', 'GB'],
    ['UK', 'GB'],
    ['U.K.', 'GB'],
    ['Scotland', 'GB'],
    ['USA', 'US'],
    ['U.S.A.', 'US'],
    ['united states', 'US'],
    ['The United States of America', 'US'],
    ['EIRE', 'IE'],
    ['Ireland', 'IE'],
    ['RSA', 'ZA'],
    ['Czech Republic', 'CZ'],
    ['Czechia', 'CZ'],
    ['South Korea', 'KR'],
    ['Korea, Republic of', 'KR'],
    ['North Korea', 'KP'],
    ['The Netherlands', 'NL'],
    ['Netherlands (the)', 'NL'],
    ['Holland', 'NL'],
    ['Côte d’Ivoire', 'CI'],
    ["Cote d'Ivoire", 'CI'],
    ['Ivory Coast', 'CI'],
    ['Trinidad & Tobago', 'TT'],
    ['St. Lucia', 'LC'],
    ['St Kitts & Nevis', 'KN'],
    ['Türkiye', 'TR'],
    ['Turkey', 'TR'],
    ['Viet Nam', 'VN'],
    ['Vietnam', 'VN'],
    ['Hong Kong', 'HK'],
    ['Hong Kong SAR', 'HK'],
    ['Swaziland', 'SZ'],
    ['Guinea', 'GN'],
    ['Guinea-Bissau', 'GW'],
    ['Niger', 'NE'],
    ['Nigeria', 'NG'],
    ['  germany ', 'DE'],
    ['Lao People’s Democratic Republic', 'LA'],
    ['Virgin Islands, British', 'VG'],
  ])('%j is %s', (name, code) => {
    expect(countryFromName(name)).toBe(code)
  })

  test.each(['Channel Islands', 'Unspecified', 'European Community', 'Korea', 'Atlantis', '', '-', 'the', '日本'])(
    '%j is none',
    (name) => {
      expect(countryFromName(name)).toBeNull()
    },
  )

  test('every name of the list leads to its own code and to no other', () => {
    const astray = Object.entries(countryNames).flatMap(([code, names]) =>
      names.filter((name) => countryFromName(name) !== code),
    )
    expect(astray).toEqual([])
  })

  test('the English names that runtimes show lead to the same codes', () => {
    const shown = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    const astray = Object.keys(countryNames).filter((code) => countryFromName(shown.of(code) ?? '') !== code)
    expect(astray).toEqual([])
  })
})
