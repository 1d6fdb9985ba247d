// An operator of the back office, its tokens and its views: docs/spec/operators-and-roles.md#operators
import { z } from 'zod'
import { instant, openEnumeration, uuid } from './scalar.ts'

export const roles = ['owner', 'manager', 'viewer', 'support'] as const

/** `shops` is null for an owner, who may see all of them. */
export const operator = z
  .object({
    id: uuid,
    object: z.literal('operator'),
    name: z.string(),
    email: z.string().nullable().meta({ description: 'Null for the root operator, whom `ADMIN_TOKEN` names.' }),
    role: openEnumeration(roles, 'What the operator may do.'),
    shops: z.array(uuid).nullable().meta({ description: 'Ids of the shops; null: all of them.' }),
    createdAt: instant.nullable(),
    disabledAt: instant.nullable(),
    lastSeenAt: instant.nullable(),
  })
  .meta({ id: 'Operator' })

/** A token without its secret. */
export const operatorToken = z
  .object({
    id: uuid,
    object: z.literal('operator_token'),
    name: z.string(),
    prefix: z.string(),
    lastFour: z.string(),
    expiresAt: instant.nullable(),
    createdAt: instant,
    lastUsedAt: instant.nullable(),
    revokedAt: instant.nullable(),
  })
  .meta({ id: 'OperatorToken' })

/** A filter of the console that an operator has named. docs/spec/operators-and-roles.md#views */
export const view = z
  .object({
    id: uuid,
    object: z.literal('view'),
    name: z.string(),
    path: z.string().meta({ description: 'Path of the console with its query.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'View' })

export type Role = (typeof roles)[number]
export type Operator = Omit<z.infer<typeof operator>, 'role'> & { role: Role }
export type View = z.infer<typeof view>
export type OperatorToken = z.infer<typeof operatorToken>
