// Proves what a time zone is. Spec: Other records (IANA `timeZone`).
import { expect, test } from '@jest/globals'
import { canonicalTimeZone } from './time-zone.ts'

test.each([
  ['Europe/London', 'Europe/London'],
  ['europe/london', 'Europe/London'],
  ['AMERICA/NEW_YORK', 'America/New_York'],
  ['america/port_of_spain', 'America/Port_of_Spain'],
  ['utc', 'UTC'],
  ['gmt', 'GMT'],
  ['Etc/GMT+5', 'Etc/GMT+5'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['asia/kolkata', 'Asia/Kolkata'],
  ['Europe/Kyiv', 'Europe/Kyiv'],
  ['america/argentina/buenos_aires', 'America/Argentina/Buenos_Aires'],
])('%s is %s', (text, zone) => {
  expect(canonicalTimeZone(text)).toBe(zone)
})

test.each(['', 'Mars/Olympus', '+01:00', '-05', 'Europe', 'Europe/London ', 'Europe/Lond\u0000n', 'localtime'])(
  '%j is none',
  (text) => {
    expect(canonicalTimeZone(text)).toBeNull()
  },
)
