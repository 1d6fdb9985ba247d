// Owns the actions of the auth service: names and params.
// Spec: Authentication, Limits, GET /shop.
import { z } from 'zod'

export const authActions = {
  'shop.get': z.object({}),
}
