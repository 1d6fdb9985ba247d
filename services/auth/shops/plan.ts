// Owns what a plan includes.
// Spec: Authentication, rule 3. Back office: POST /shops (`pro` includes the API, `basic` does not).
import type { Plan } from '#contracts/objects/shop'

/** Whether the keys of a shop with this plan may be used. */
export function includesApi(plan: Plan): boolean {
  return plan === 'pro'
}
