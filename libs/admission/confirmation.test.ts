// Calls that have waited are checked again (docs/spec/rest-api.md#list-events). Real PostgreSQL, the product's own code on both sides.
import { afterEach, expect, test } from '@jest/globals'
import { type Admission, openAdmission } from '#testing/product/admission'
import { makeCaller } from '#testing/product/one-service'

let admission: Admission
afterEach(() => admission.close())

test('500 calls that end at once with keys to be checked again cost auth two questions, and revoked ones are refused', async () => {
  admission = await openAdmission()
  const [live, revoked] = [await admission.makeKey(), await admission.makeKey()]
  await admission.call('keys.revoke', { id: revoked.id }, { caller: makeCaller({ shopId: revoked.shopId }) })
  let questions = 0
  admission.tap.before = async (action) => void (questions += action === 'auth.recognise' ? 1 : 0)
  const confirm = async (index: number) => admission.gateways[0]?.leases.confirm(index % 2 === 0 ? live.id : revoked.id)
  const identities = await Promise.all(Array.from({ length: 500 }, (_, index) => confirm(index)))
  expect(identities.map((one) => one?.caller.keyId)).toEqual(
    identities.map((_, index) => (index % 2 === 0 ? live.id : undefined)),
  )
  expect(questions).toBeLessThanOrEqual(2)
})

test('calls that end while auth is away fail, and later ones are answered', async () => {
  admission = await openAdmission()
  const { id } = await admission.makeKey()
  const confirm = async () => admission.gateways[0]?.leases.confirm(id)
  admission.tap.before = () => Promise.reject(new Error('lost'))
  for (const outcome of await Promise.allSettled([confirm(), confirm()])) expect(outcome.status).toBe('rejected')
  admission.tap = {}
  expect((await confirm())?.caller.keyId).toBe(id)
})
