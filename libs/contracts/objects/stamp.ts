// The stamp of an object: docs/spec/rest-api.md#list-stamps
import { z } from 'zod'
import { instant, uuid } from './scalar.ts'

export const stamp = z
  .object({
    id: uuid,
    updatedAt: instant.meta({ description: 'As in the object. Each new one of an object is later than its old one.' }),
  })
  .meta({ id: 'Stamp' })
