// Who calls, as a service believes it (docs/spec/internals.md#signed-claims).
import { createHmac, randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { deriveKeys } from '#config/derive-key'
import { duringTests } from '#testing/during-tests'
import { pageIn } from '#testing/lists'
import { makeCaller, openService } from '#testing/product/one-service'
import { contacts } from '../../services/contacts/service.ts'
import { openClaims } from './claims.ts'

const secretKey = 'a secret of at least 32 characters.'
const another = 'another secret of 32 characters ...'
const caller = makeCaller()
const secretsOf = (key: string, previous: string | null = null) => ({ secretKey: key, secretKeyPrevious: previous })

describe('a service', () => {
  const service = duringTests(() => openService(contacts))
  const list = (meta: object) => service.call('contacts.list', {}, meta)
  const isRefused = expect.objectContaining({
    type: 'server_error',
    message: expect.stringMatching(/^This call has no/),
  })

  test('takes a caller that a gateway has signed', async () => {
    expect(pageIn(await list({ claim: service.claimOf(caller) })).data).toEqual([])
  })

  test('refuses a call without a claim, and one that no gateway has signed', async () => {
    await expect(list({})).rejects.toEqual(isRefused)
    const unsigned = openClaims(secretsOf(another)).sign({ caller })
    for (const meta of [{ claim: unsigned }, { claim: '' }, { claim: 'x' }, { claim: `.${Date.now() + 9_000}.{}` }]) {
      await expect(list(meta)).rejects.toEqual(isRefused)
    }
  })

  test('refuses a claim that was changed, also in its end', async () => {
    const claim = service.claimOf(caller)
    const [macs = '', end = '', ...json] = claim.split('.')
    const other = JSON.stringify({ caller: makeCaller() })
    const changed = [`${macs}.${end}.${other}`, `${macs}.${Number(end) + 60_000}.${json.join('.')}`, `${claim} `]
    changed.push(`${macs.slice(0, -2)}.${end}.${json.join('.')}`, claim.slice(1), `,${'A'.repeat(43)}.${end}.${other}`)
    for (const text of changed) await expect(list({ claim: text })).rejects.toEqual(isRefused)
  })

  test('refuses a claim from more than a minute ago, and one signed under another purpose', async () => {
    const old = openClaims(secretsOf(secretKey), () => Date.now() - 60_001).sign({ caller })
    await expect(list({ claim: old })).rejects.toEqual(isRefused)
    const text = `${Date.now() + 9_000}.${JSON.stringify({ caller })}`
    for (const key of deriveKeys(secretsOf(secretKey), 'cursor')) {
      const mac = createHmac('sha256', key).update(text).digest('base64url')
      await expect(list({ claim: `${mac}.${text}` })).rejects.toEqual(isRefused)
    }
  })
})

test('a claim ends after 40 to 60 s, also where it was verified before', () => {
  let now = 1_700_000_000_000
  const claims = openClaims(secretsOf(secretKey), () => now)
  for (let step = 0; step < 40; step += 1) {
    const claim = claims.sign({ caller })
    const signedAt = now
    now = signedAt + 39_999
    expect(claims.verify(claim)).toEqual({ caller })
    now = signedAt + 60_000
    expect(() => claims.verify(claim)).toThrow(/^This call has no caller/)
    now = signedAt + 997
  }
})

test('a claim names the operator of the call that it was signed for, also of one caller after another operator', () => {
  const claims = openClaims(secretsOf(secretKey))
  const mina = { id: randomUUID(), name: 'Mina', role: 'manager', shops: [caller.shopId], via: 'token' } as const
  const operator = { ...mina, shops: [...mina.shops] }
  for (const claimed of [
    { operator },
    { caller, operator },
    { caller },
    { caller, operator: { ...operator, name: 'Ada' } },
  ]) {
    expect(claims.verify(claims.sign(claimed))).toEqual(claimed)
    expect(claims.sign(claimed)).toBe(claims.sign(claimed))
  }
})

test('while SECRET_KEY is rotated, gateways and services understand each other whichever of the two keys they know', () => {
  const sides = {
    old: openClaims(secretsOf(another)),
    rotating: openClaims(secretsOf(secretKey, another)),
    new: openClaims(secretsOf(secretKey)),
  }
  for (const [signer, verifier] of [
    ['old', 'rotating'],
    ['rotating', 'old'],
    ['rotating', 'rotating'],
    ['rotating', 'new'],
    ['new', 'rotating'],
  ] as const) {
    expect(sides[verifier].verify(sides[signer].sign({ caller: { ...caller } }))).toEqual({ caller })
  }
  expect(() => sides.new.verify(sides.old.sign({ caller: { ...caller } }))).toThrow(/^This call has no caller/)
})
