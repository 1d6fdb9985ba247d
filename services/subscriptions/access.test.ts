// The access rule. docs/spec/subscription-states.md#access-rule
import { describe, expect, test } from '@jest/globals'
import { hasAccess } from './access.ts'

const at = new Date('2026-05-01T00:00:00.000Z')
const before = new Date('2026-04-30T23:59:59.999Z')
const after = new Date('2026-05-01T00:00:00.001Z')

describe('access', () => {
  test.each(['trialing', 'active', 'past_due'] as const)('%s grants access, whatever is paid', (status) => {
    for (const end of [null, before, at, after]) expect(hasAccess({ status, current_period_end: end }, at)).toBe(true)
  })

  test.each(['incomplete', 'unpaid', 'canceled'] as const)(
    '%s grants access until the period ends, and not at its end',
    (status) => {
      const answers = [null, before, at, after].map((end) => hasAccess({ status, current_period_end: end }, at))
      expect(answers).toEqual([false, false, false, true])
    },
  )
})
