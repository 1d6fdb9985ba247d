// Operators, their tokens and sign-ins as the back office may send them: docs/spec/operators-and-roles.md#operators. The service checks
// that the shops exist and that the role fits them.
import { z } from 'zod'
import { roles } from '../objects/operator.ts'
import { limits } from '../limits.ts'
import { readOnly, storedInstant } from './fields.ts'
import { visiblePattern, withRule } from './rule.ts'
import { storableText, trimInvisible } from './text.ts'

const trimmed = (value: unknown) => (typeof value === 'string' ? trimInvisible(value) : value)
const name = z.preprocess(trimmed, storableText(limits.wordLengthMax).meta({ pattern: visiblePattern }))
const email = z.preprocess(trimmed, z.email().max(limits.emailLengthMax))
const shops = z.array(z.uuid()).max(limits.shopsPerOperator).nullable()
const secret = z.string().max(limits.wordLengthMax)

const readOnlyFields = {
  id: readOnly,
  object: readOnly,
  createdAt: readOnly,
  disabledAt: readOnly,
  lastSeenAt: readOnly,
}

export const operatorInput = z
  .strictObject({
    ...readOnlyFields,
    name,
    email,
    role: z.enum(roles),
    shops: shops.optional(),
  })
  // An owner sees all shops, others those of their list. The service checks it, for changes of an operator too.
  .meta({
    anyOf: [
      { properties: { role: { const: 'owner' }, shops: { type: 'null' } } },
      {
        required: ['shops'],
        properties: {
          role: { enum: roles.filter((role) => role !== 'owner') },
          shops: { type: 'array', items: { type: 'string' } },
        },
      },
    ],
  })

export const operatorChange = z.strictObject({
  ...readOnlyFields,
  name: name.optional(),
  email: email.optional(),
  role: z.enum(roles).optional(),
  shops: shops.optional(),
})

export const operatorTokenInput = z.strictObject({ name, expiresAt: storedInstant.nullable().optional() })

/** A sign-in by a token or by the code of a sign-in link. */
export const signInInput = withRule(
  z.strictObject({ token: secret.optional(), code: secret.optional() }),
  ({ token, code }) => (token === undefined) !== (code === undefined),
  { error: 'must hold token or code' },
  { oneOf: [{ required: ['token'] }, { required: ['code'] }] },
)

export type SignInInput = z.output<typeof signInInput>
export type OperatorInput = z.output<typeof operatorInput>
export type OperatorChange = z.output<typeof operatorChange>
