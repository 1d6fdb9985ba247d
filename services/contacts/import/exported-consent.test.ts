// The consent of an imported contact counts only with its evidence. docs/spec/imports.md#consents-of-a-file
import { describe, expect, test } from '@jest/globals'
import type { ConsentFields } from '#contracts/input/exported'
import { type ConsentRecord, planConsent } from './exported-consent.ts'

const now = new Date('2026-06-01T12:00:00Z')
const given = new Date('2026-01-02T03:04:05.678Z')
const later = new Date('2026-02-02T00:00:00Z')
const ada = 'ada@example.com'
const record = (kind: 'given' | 'withdrawn', at: Date, email: string | null = 'Ada@Example.com'): ConsentFields => ({
  kind,
  at,
  email,
  address: '203.0.113.7',
  agent: 'Browser',
  textVersion: 'en-1',
  source: 'opt_in',
})
const stored = (kind: 'given' | 'withdrawn', at: Date): ConsentRecord => {
  const { textVersion: text_version = null, address = null, agent = null, email = null, source } = record(kind, at)
  return { kind, at, email, address, agent, text_version, source }
}
const nobody = { email_key: ada, marketing_consent_at: null, records: [] }
const consenting = { email_key: ada, marketing_consent_at: given, records: [stored('given', given)] }

describe('a consent of a file', () => {
  test('is taken with its evidence, which is stored as it was', () => {
    const plan = planConsent(nobody, { email_key: ada, at: given, records: [record('given', given)] }, false, now)
    expect(plan).toEqual({ at: given, added: [stored('given', given)], warning: null })
  })

  test.each([
    ['no record', [], 'no_evidence'],
    ['a record of another instant', [record('given', later)], 'no_evidence'],
    ['a record of another address', [record('given', given, 'bob@example.com')], 'no_evidence'],
    ['a record without an address', [record('given', given, null)], 'no_evidence'],
    ['a later withdrawal in the file', [record('given', given), record('withdrawn', later)], 'consent_withdrawn'],
  ])('with %s is left out and said so', (_, records, code) => {
    const plan = planConsent(nobody, { email_key: ada, at: given, records }, false, now)
    expect([plan.at, plan.warning?.code]).toEqual([null, code])
  })

  test('is not taken where the person withdrew it here, or stopped all mails of the shop', () => {
    const file = { email_key: ada, at: given, records: [record('given', given)] }
    const withdrawn = { ...nobody, records: [stored('given', given), stored('withdrawn', later)] }
    expect(planConsent(withdrawn, file, false, now)).toMatchObject({ at: null, warning: { code: 'consent_withdrawn' } })
    expect(planConsent(nobody, file, true, now)).toMatchObject({ at: null, warning: { code: 'suppressed' } })
  })
})

describe('a stored consent', () => {
  test('stays where the file says the same or nothing, and no record is added twice', () => {
    for (const at of [given, undefined]) {
      const plan = planConsent(consenting, { email_key: ada, at, records: [record('given', given)] }, false, now)
      expect(plan).toEqual({ at: given, added: [], warning: null })
    }
  })

  test('ends with an empty cell or another address, and a record says when', () => {
    const withdrawal = {
      kind: 'withdrawn',
      at: now,
      email: ada,
      address: null,
      agent: null,
      text_version: null,
      source: 'import',
    }
    expect(planConsent(consenting, { email_key: ada, at: null, records: [] }, false, now)).toEqual({
      at: null,
      added: [withdrawal],
      warning: null,
    })
    expect(planConsent(consenting, { email_key: 'bob@example.com', at: undefined, records: [] }, false, now)).toEqual({
      at: null,
      added: [withdrawal],
      warning: null,
    })
  })

  test('is not replaced by one without evidence', () => {
    const plan = planConsent(consenting, { email_key: ada, at: later, records: [] }, false, now)
    expect(plan).toMatchObject({ at: given, added: [], warning: { code: 'no_evidence' } })
  })
})
