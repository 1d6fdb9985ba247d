// Tests country codes and country names: docs/spec/imports.md#countries.
import { describe, expect, test } from '@jest/globals'
import { countryFromName, isCountry } from './country.ts'

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const assigned = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry)

describe('country code', () => {
  test('the 249 codes of ISO 3166-1 are assigned', () => {
    expect(assigned).toHaveLength(249)
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
    ['Bolivia, Plurinational State of', 'BO'],
    ["Korea, Democratic People's Republic of", 'KP'],
    ['Congo', 'CG'],
    ['DRC', 'CD'],
    ['Macedonia, the former Yugoslav Republic of', 'MK'],
    ['Palestinian Territory, Occupied', 'PS'],
    ['America', 'US'],
    ['Holy See (Vatican City State)', 'VA'],
    ['Burma', 'MM'],
    ['Cape Verde', 'CV'],
    ['Cabo Verde', 'CV'],
  ])('%j is %s', (name, code) => {
    expect(countryFromName(name)).toBe(code)
  })

  test.each([
    ...['Channel Islands', 'Kosovo', 'Unspecified', 'European Community', 'Korea', 'Atlantis', '', '-', 'the', '日本'],
  ])('%j is none', (name) => {
    expect(countryFromName(name)).toBeNull()
  })

  test('the English names that Node shows lead to the same codes', () => {
    const shown = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    const astray = assigned.filter((code) => countryFromName(shown.of(code) ?? '') !== code)
    expect(astray).toEqual([])
  })
})
