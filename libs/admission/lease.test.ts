// The budget of a key over several gateways and replicas of auth, and how soon a change of a key is in force
// (docs/spec/rest-api.md#rate-limit, docs/spec/internals.md#budget-leases). Real PostgreSQL, the product's own code on both sides.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { type Admission, openAdmission, openAuthStorage, tally } from '#testing/product/admission'
import { makeCaller } from '#testing/product/one-service'
import { until } from '#testing/until'
import { REFRESH_MS } from './background-refresh.ts'
import type { Decision } from './lease.ts'

const storage = duringTests(() => openAuthStorage())
let admission: Admission
const open = (options: Parameters<typeof openAdmission>[0] = {}) => openAdmission({ ...options, storage })
afterEach(async () => {
  admission.tap = {}
  for (const { leases } of admission.gateways) await leases.stop()
  await admission.close()
})

/** So many calls at once, spread evenly over the gateways. */
function burst(key: string, calls: number): Promise<Decision[]> {
  const { gateways } = admission
  return Promise.all(Array.from({ length: calls }, (_, index) => at(index % gateways.length).take(key)))
}

function at(index: number) {
  const gateway = admission.gateways[index]
  if (gateway === undefined) throw new Error(`There is no gateway ${index}.`)
  return gateway
}

async function usedUnits(): Promise<number> {
  const [row] = await admission.db.rows<{ used: number }>('select used from budgets')
  return row?.used ?? 0
}

describe('the budget of a key', () => {
  test('1,000 calls at once over 4 gateways and 2 replicas: exactly 240 are admitted', async () => {
    admission = await open({ gateways: 4, replicas: 2 })
    const { key } = await admission.makeKey()
    expect(tally(await burst(key, 1_000))).toEqual({ admitted: 240, rate_limited: 760 })
    expect(tally(await burst(key, 50))).toEqual({ rate_limited: 50 })
  })

  test('calls spread over gateways: all 240 are usable, the 241st is refused', async () => {
    admission = await open({ gateways: 4, replicas: 2 })
    const { key } = await admission.makeKey()
    const order = [0, 3, 1, 1, 2, 0, 3, 3, 3, 0]
    const taken: Decision[] = []
    for (let call = 0; call < 240; call += 1) {
      if (call % 37 === 0) admission.clock.aheadMs += 1_600 // Who calls must be asked again now and then.
      taken.push(await at(order[call % order.length] ?? 0).take(key))
    }
    expect(tally(taken)).toEqual({ admitted: 240 })
    expect(tally(await burst(key, 8))).toEqual({ rate_limited: 8 })
    expect(await usedUnits()).toBe(240)
  })

  test('skewed traffic: units of idle gateways are recalled before a call is refused', async () => {
    admission = await open({ gateways: 4, replicas: 2 })
    const { key } = await admission.makeKey()
    expect(tally(await burst(key, 4))).toEqual({ admitted: 4 })
    expect(await usedUnits()).toBeGreaterThan(40) // Everyone holds a lease now.
    const rest = await Promise.all(Array.from({ length: 240 }, () => at(0).take(key)))
    expect(tally(rest)).toEqual({ admitted: 236, rate_limited: 4 })
  })

  test('most calls are decided in the gateway without a call of auth', async () => {
    admission = await open({ gateways: 2 })
    const { key } = await admission.makeKey()
    for (let call = 0; call < 120; call += 1) await at(call % 2).take(key)
    expect(at(0).asks + at(1).asks).toBeLessThan(20)
  })

  test('refused calls are refused in the gateway until the window ends, with an occasional call of auth', async () => {
    admission = await open()
    const { key } = await admission.makeKey()
    await burst(key, 300)
    const before = at(0).asks
    expect(tally(await burst(key, 500))).toEqual({ rate_limited: 500 })
    expect(at(0).asks).toBe(before)
    admission.clock.aheadMs += 1_501
    expect(tally(await burst(key, 5))).toEqual({ rate_limited: 5 })
    expect(at(0).asks).toBe(before + 1)
  })

  test('a window opens with the first call after the last window ended, with a full budget', async () => {
    admission = await open({ gateways: 2, env: { REQUESTS_PER_MINUTE: '20' } })
    const { key } = await admission.makeKey()
    expect(tally(await burst(key, 30))).toEqual({ admitted: 20, rate_limited: 10 })
    await admission.endWindows()
    const [first] = await burst(key, 1)
    expect(first).toMatchObject({ decision: 'admitted', budget: { limit: 20, remaining: 19, resetS: 60 } })
    expect(tally(await burst(key, 30))).toEqual({ admitted: 19, rate_limited: 11 })
  })

  test('units of an ended window are never spent', async () => {
    admission = await open({ env: { REQUESTS_PER_MINUTE: '20' } })
    const { key } = await admission.makeKey()
    await burst(key, 1)
    expect(await usedUnits()).toBeGreaterThan(1)
    admission.clock.aheadMs += 60_000 // At the database the window still runs.
    expect(tally(await burst(key, 1))).toEqual({ admitted: 1 })
    expect(at(0).asks).toBe(2)
  })

  test('a budget of one key is not another key’s', async () => {
    admission = await open({ gateways: 2, env: { REQUESTS_PER_MINUTE: '10' } })
    const [one, other] = [await admission.makeKey(), await admission.makeKey()]
    expect(tally(await burst(one.key, 12))).toEqual({ admitted: 10, rate_limited: 2 })
    expect(tally(await burst(other.key, 12))).toEqual({ admitted: 10, rate_limited: 2 })
  })

  test('the remaining budget is 239 after the first call and 0 with the refusal', async () => {
    admission = await open()
    const { key, shopId, id } = await admission.makeKey({ access: 'write' })
    const [first] = await burst(key, 1)
    expect(first).toMatchObject({
      decision: 'admitted',
      planIncludesApi: true,
      caller: { shopId, keyId: id, canWrite: true, currency: 'GBP', timeZone: 'Europe/London', country: null },
      budget: { limit: 240, remaining: 239, resetS: 60 },
    })
    await burst(key, 239)
    const [refused] = await burst(key, 1)
    expect(refused).toMatchObject({ decision: 'rate_limited', budget: { limit: 240, remaining: 0, resetS: 60 } })
  })

  test('a key whose plan has no API is charged like any other', async () => {
    admission = await open({ env: { REQUESTS_PER_MINUTE: '3' } })
    const { key } = await admission.makeKey({ plan: 'basic' })
    const taken = await burst(key, 4)
    expect(tally(taken)).toEqual({ admitted: 3, rate_limited: 1 })
    expect(taken[0]).toMatchObject({ planIncludesApi: false })
  })
})

describe('faults', () => {
  /** The first answer of auth to a request for units does not arrive before it is released. */
  function holdFirstGrant(): { release: () => void; isHeld: () => boolean } {
    const held = Promise.withResolvers<void>()
    let isHeld = false
    admission.tap.after = async (action) => {
      if (action !== 'auth.admit' || isHeld) return
      isHeld = true
      await held.promise
    }
    return { release: held.resolve, isHeld: () => isHeld }
  }

  test('a lost answer is asked for again and charged once', async () => {
    admission = await open()
    const { key } = await admission.makeKey()
    let lose = 1
    admission.tap.after = async (action) => {
      if (action === 'auth.admit' && lose-- > 0) throw new Error('lost')
    }
    expect(tally(await burst(key, 1))).toEqual({ admitted: 1 })
    expect(await usedUnits()).toBe(17) // One that was wanted, a slice of 16: once.
    expect(at(0).asks).toBe(2)
  })

  test('while auth is away calls are refused as unavailable; afterwards the lost grant is still usable', async () => {
    admission = await open()
    const { key } = await admission.makeKey()
    let away = true
    admission.tap.after = async (action) => {
      if (action === 'auth.admit' && away) throw new Error('away')
    }
    await expect(burst(key, 1)).rejects.toMatchObject({ type: 'unavailable', data: { retry_after_s: 2 } })
    away = false
    expect(tally(await burst(key, 240))).toEqual({ admitted: 240 })
    expect(tally(await burst(key, 1))).toEqual({ rate_limited: 1 })
  })

  test('a gateway that does not answer the recall keeps its units: fewer than 240, never more', async () => {
    admission = await open({ gateways: 2, replicas: 2 })
    const { key } = await admission.makeKey()
    await at(1).take(key)
    admission.tap.before = async (action) => {
      if (action === 'lease-of-gateway-2') throw new Error('cut off')
    }
    const taken = await Promise.all(Array.from({ length: 300 }, () => at(0).take(key)))
    expect(tally(taken)).toEqual({ admitted: 223, rate_limited: 77 }) // 240 - (1 + 16).
    expect(tally(await Promise.all(Array.from({ length: 20 }, () => at(1).take(key))))).toEqual({
      admitted: 16,
      rate_limited: 4,
    })
  })

  test('a recall during a grant waits for the grant', async () => {
    admission = await open({ gateways: 2, replicas: 2 })
    const { key } = await admission.makeKey()
    const { release, isHeld } = holdFirstGrant()
    admission.tap.before = async (action) => {
      if (action === 'lease-of-gateway-2') setTimeout(release, 50)
    }
    const late = at(1).take(key)
    await until(isHeld)
    const taken = await Promise.all(Array.from({ length: 300 }, () => at(0).take(key)))
    expect(tally([await late, ...taken])).toEqual({ admitted: 240, rate_limited: 61 })
  })

  test('units that arrive after their recall go back', async () => {
    admission = await open({ gateways: 2, replicas: 2 })
    const { key } = await admission.makeKey()
    const { release, isHeld } = holdFirstGrant()
    const late = at(1).take(key)
    await until(isHeld)
    const taken = await Promise.all(Array.from({ length: 300 }, () => at(0).take(key)))
    expect(tally(taken)).toEqual({ admitted: 223, rate_limited: 77 })
    release()
    expect((await late).decision).toBe('admitted')
    await until(async () => (await usedUnits()) !== 240)
    expect(await usedUnits()).toBe(224)
    admission.clock.aheadMs += 1_501
    expect(tally(await burst(key, 100))).toEqual({ admitted: 16, rate_limited: 84 })
  })

  test('units of a grant that was lost until after the recall go back as well', async () => {
    admission = await open({ gateways: 2, replicas: 2 })
    const { key } = await admission.makeKey()
    let away = true
    admission.tap.after = async (action) => {
      if (action === 'auth.admit' && away) throw new Error('away')
    }
    await expect(at(1).take(key)).rejects.toMatchObject({ type: 'unavailable' })
    away = false
    const taken = await Promise.all(Array.from({ length: 300 }, () => at(0).take(key)))
    expect(tally(taken)).toEqual({ admitted: 223, rate_limited: 77 })
    expect((await at(1).take(key)).decision).toBe('admitted')
    await until(async () => (await usedUnits()) !== 240)
    expect(await usedUnits()).toBe(224)
  })

  test('a gateway that stops returns its units', async () => {
    admission = await open({ gateways: 2 })
    const { key } = await admission.makeKey()
    await at(1).take(key)
    await at(1).leases.stop()
    expect(await usedUnits()).toBe(1)
  })

  test('no window admits more than its budget, also when any message is lost or late', async () => {
    admission = await open({ gateways: 3, replicas: 2, env: { REQUESTS_PER_MINUTE: '40' } })
    const { key } = await admission.makeKey()
    const mishap = async (action: string) => {
      if (action === 'auth.admit') await new Promise((resolve) => setTimeout(resolve, Math.random() * 8))
      if (Math.random() < 0.15) throw new Error('lost')
    }
    for (let window = 0; window < 12; window += 1) {
      admission.tap = { before: mishap, after: mishap }
      const taken: Decision[] = []
      for (let wave = 0; wave < 8; wave += 1) {
        const calls = Array.from({ length: Math.ceil(Math.random() * 20) }, () => at(wave % 3).take(key))
        for (const call of await Promise.allSettled(calls)) if (call.status === 'fulfilled') taken.push(call.value)
        if (wave % 3 === 2) admission.clock.aheadMs += 1_600
      }
      expect(tally(taken).admitted ?? 0).toBeLessThanOrEqual(40)
      expect(await usedUnits()).toBeGreaterThanOrEqual(tally(taken).admitted ?? 0)
      admission.tap = {}
      await admission.endWindows()
    }
  })

  test('a replica of auth that died during a recall is replaced', async () => {
    admission = await open({ gateways: 2 })
    const { key } = await admission.makeKey()
    await burst(key, 2)
    await admission.db.rows("update budgets set recall_at = clock_timestamp() - interval '2 seconds'")
    expect(tally(await Promise.all(Array.from({ length: 240 }, () => at(0).take(key))))).toEqual({
      admitted: 238,
      rate_limited: 2,
    })
  })
})

describe('a change of a key', () => {
  test('a revoked key is refused everywhere as soon as the event arrives', async () => {
    admission = await open({ gateways: 2, replicas: 2 })
    const { key, shopId, id } = await admission.makeKey()
    await burst(key, 2)
    await admission.call('keys.revoke', { id }, { caller: makeCaller({ shopId }) })
    expect(tally(await burst(key, 2))).toEqual({ unauthorized: 2 })
  })

  test('without the event it is refused 1.5 s later, even where units are left', async () => {
    admission = await open({ gateways: 2, replicas: 2 })
    const { key, shopId, id } = await admission.makeKey()
    await burst(key, 2)
    admission.hintsLost = true
    await admission.call('keys.revoke', { id }, { caller: makeCaller({ shopId }) })
    expect(tally(await burst(key, 2))).toEqual({ admitted: 2 })
    admission.clock.aheadMs += 1_500
    expect(tally(await burst(key, 2))).toEqual({ unauthorized: 2 })
  })

  test('a plan that loses the API and gets it back is in force 1.5 s later without the event', async () => {
    admission = await open()
    const { key, shopId } = await admission.makeKey()
    await burst(key, 1)
    admission.hintsLost = true
    const includes = async () => (await at(0).take(key)) as Extract<Decision, { decision: 'admitted' }>
    await admission.call('shops.change', { shop: shopId, change: { plan: 'basic' } })
    admission.clock.aheadMs += 1_500
    expect(await includes()).toMatchObject({ planIncludesApi: false })
    await admission.call('shops.change', { shop: shopId, change: { plan: 'pro' } })
    admission.clock.aheadMs += 1_500
    expect(await includes()).toMatchObject({ planIncludesApi: true })
  })

  test('an identity that was asked for before the event is not used after it', async () => {
    admission = await open()
    const { key, shopId, id } = await admission.makeKey()
    let revoked = false
    admission.tap.after = async (action) => {
      if (action !== 'auth.admit' || revoked) return
      revoked = true
      await admission.call('keys.revoke', { id }, { caller: makeCaller({ shopId }) })
    }
    expect(tally(await burst(key, 1))).toEqual({ admitted: 1 })
    expect(tally(await burst(key, 1))).toEqual({ unauthorized: 1 })
  })
})

describe('a key in use', () => {
  beforeEach(() => {
    const real = ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setTimeout'] as const
    jest.useFakeTimers({ doNotFake: [...real, 'clearImmediate', 'clearTimeout'] })
  })
  afterEach(() => void jest.useRealTimers())

  function passHalfSecond(): void {
    admission.clock.aheadMs += REFRESH_MS
    jest.advanceTimersByTime(REFRESH_MS)
  }

  /** Ends when auth has answered a question about keys in use. */
  function recognition(then: () => Promise<void> = async () => undefined): Promise<void> {
    return new Promise((resolve) => {
      admission.tap.after = async (action) => {
        if (action !== 'auth.recognise') return
        admission.tap.after = async () => undefined
        await then()
        setImmediate(resolve)
      }
    })
  }

  /** Lets half a second pass, and ends when auth has answered the question that is asked then. */
  function nextRecognition(then?: () => Promise<void>): Promise<void> {
    const answered = recognition(then)
    passHalfSecond()
    return answered
  }

  test('is refreshed in the background, so that its calls ask for units only', async () => {
    admission = await open()
    const { key } = await admission.makeKey()
    await burst(key, 1)
    at(0).leases.start()
    await nextRecognition()
    let admissions = 0
    admission.tap.before = async (action) => {
      if (action === 'auth.admit') admissions += 1
    }
    admission.clock.aheadMs += 1_100 // Half a second has passed: the first answer would not be believed any more.
    expect(tally(await burst(key, 1))).toEqual({ admitted: 1 })
    expect(admissions).toBe(0)
  })

  test('is refreshed by its version alone while no identity has changed', async () => {
    admission = await open()
    const keys = [await admission.makeKey(), await admission.makeKey()]
    for (const { key } of keys) await burst(key, 1)
    const askedAbout: number[] = []
    admission.tap.before = async (action, params) => {
      if (action === 'auth.recognise') askedAbout.push((params as { key_ids: string[] }).key_ids.length)
    }
    at(0).leases.start()
    await nextRecognition()
    await nextRecognition()
    await nextRecognition()
    expect(askedAbout).toEqual([2, 0, 0])
    const asks = at(0).asks
    admission.clock.aheadMs += 900
    for (const { key } of keys) expect(tally(await burst(key, 1))).toEqual({ admitted: 1 })
    expect(at(0).asks).toBe(asks)
  })

  test('that calls once in ten seconds is refreshed by the version, and refused once it is revoked', async () => {
    admission = await open()
    const [quiet, revoked] = [await admission.makeKey(), await admission.makeKey()]
    for (const { key } of [quiet, revoked]) await burst(key, 1)
    const { clock } = admission
    at(0).leases.start()
    await nextRecognition()
    // With the half second between two questions that is less than a belief lasts, and ten seconds in all.
    for (let round = 0; round < 8; round += 1) {
      clock.aheadMs += 800
      await nextRecognition()
    }
    const asks = at(0).asks
    expect(tally(await burst(quiet.key, 1))).toEqual({ admitted: 1 })
    expect(at(0).asks).toBe(asks)
    admission.hintsLost = true
    await admission.call('keys.revoke', { id: revoked.id }, { caller: makeCaller({ shopId: revoked.shopId }) })
    clock.aheadMs += 800
    await nextRecognition()
    clock.aheadMs += 700
    expect(tally(await burst(revoked.key, 1))).toEqual({ unauthorized: 1 })
  })

  test('that is revoked or changed without the event is noticed although the version had refreshed it', async () => {
    admission = await open()
    const [revoked, changed, same] = [await admission.makeKey(), await admission.makeKey(), await admission.makeKey()]
    for (const { key } of [revoked, changed, same]) await burst(key, 1)
    at(0).leases.start()
    await nextRecognition()
    await nextRecognition()
    admission.hintsLost = true
    await admission.call('keys.revoke', { id: revoked.id }, { caller: makeCaller({ shopId: revoked.shopId }) })
    await admission.call('shops.change', { shop: changed.shopId, change: { plan: 'basic' } })
    await nextRecognition() // What its answer says is asked for next.
    await recognition()
    expect(tally(await burst(revoked.key, 1))).toEqual({ unauthorized: 1 })
    expect(await burst(changed.key, 1)).toMatchObject([{ planIncludesApi: false }])
    const asks = at(0).asks
    expect(tally(await burst(same.key, 1))).toEqual({ admitted: 1 })
    expect(at(0).asks).toBe(asks)
  })

  test('that is revoked or changed without the event is noticed by the background refresh', async () => {
    admission = await open()
    const [revoked, changed] = [await admission.makeKey(), await admission.makeKey()]
    await burst(revoked.key, 1)
    await burst(changed.key, 1)
    admission.hintsLost = true
    await admission.call('keys.revoke', { id: revoked.id }, { caller: makeCaller({ shopId: revoked.shopId }) })
    await admission.call('shops.change', { shop: changed.shopId, change: { plan: 'basic' } })
    at(0).leases.start()
    await nextRecognition()
    expect(tally(await burst(revoked.key, 1))).toEqual({ unauthorized: 1 })
    expect(await burst(changed.key, 1)).toMatchObject([{ planIncludesApi: false }])
  })

  test('is not refreshed by an answer from before the event', async () => {
    admission = await open()
    const { key, shopId, id } = await admission.makeKey()
    await burst(key, 1)
    at(0).leases.start()
    await nextRecognition(async () => {
      await admission.call('keys.revoke', { id }, { caller: makeCaller({ shopId }) })
    })
    expect(tally(await burst(key, 1))).toEqual({ unauthorized: 1 })
  })

  test('that cannot be refreshed is asked about by its next call', async () => {
    admission = await open()
    const { key, shopId, id } = await admission.makeKey()
    await burst(key, 1)
    admission.hintsLost = true
    let lost = 0
    admission.tap.before = async (action) => {
      if (action !== 'auth.recognise') return
      lost += 1
      throw new Error('lost')
    }
    at(0).leases.start()
    passHalfSecond()
    await until(() => lost > 0)
    await admission.call('keys.revoke', { id }, { caller: makeCaller({ shopId }) })
    admission.clock.aheadMs += 1_500
    expect(tally(await burst(key, 1))).toEqual({ unauthorized: 1 })
  })
})

describe('the failure budget', () => {
  const bad = 'sfk_no-key'

  test('30 failures of a source in a minute are 401, more are refused, over all gateways and replicas', async () => {
    admission = await open({ gateways: 4, replicas: 2 })
    expect(tally(await burst(bad, 100))).toEqual({ unauthorized: 30, source_limited: 70 })
    const [taken] = await burst(bad, 1)
    expect(taken).toMatchObject({ decision: 'source_limited' })
    expect((taken as { retry_after_ms: number }).retry_after_ms).toBeGreaterThan(0)
  })

  test('calls without a key and guesses in the form of a key count alike', async () => {
    admission = await open({ env: { AUTH_FAILURES_PER_MINUTE: '3' } })
    const guess = `sfk_${'0'.repeat(43)}`
    expect(tally([await at(0).take(''), await at(0).take(guess), await at(0).take('x'), await at(0).take('')])).toEqual(
      { unauthorized: 3, source_limited: 1 },
    )
  })

  test('a valid key is never refused by it, not even from an exhausted source, and does not spend it', async () => {
    admission = await open({ gateways: 2, env: { AUTH_FAILURES_PER_MINUTE: '3' } })
    const { key } = await admission.makeKey()
    await burst(key, 20)
    expect(tally(await burst(bad, 5))).toEqual({ unauthorized: 3, source_limited: 2 })
    admission.clock.aheadMs += 1_501
    expect(tally(await burst(key, 20))).toEqual({ admitted: 20 })
  })

  test('sources do not share it, even with the same key at the same time', async () => {
    admission = await open({ env: { AUTH_FAILURES_PER_MINUTE: '3' } })
    const taken = await Promise.all(Array.from({ length: 12 }, (_, index) => at(0).take(bad, `192.0.2.${index % 3}`)))
    expect(tally(taken)).toEqual({ unauthorized: 9, source_limited: 3 })
  })

  test('after a minute it is full again', async () => {
    admission = await open({ env: { AUTH_FAILURES_PER_MINUTE: '3' } })
    expect(tally(await burst(bad, 4))).toEqual({ unauthorized: 3, source_limited: 1 })
    await admission.db.rows("update auth_failures set ends_at = ends_at - interval '60 seconds'")
    admission.clock.aheadMs += 60_000
    expect(tally(await burst(bad, 4))).toEqual({ unauthorized: 3, source_limited: 1 })
  })
})
