// Operators, their tokens and sign-ins as the back office may send them: docs/spec/operators-and-roles.md#operators. The service checks
// that the shops exist and that the role fits them.
import { z } from 'zod'
import { roles } from '../objects/operator.ts'
import { limits } from '../limits.ts'
import { emptyInput, readOnly, storedInstant } from './fields.ts'
import { storableText, trimInvisible } from './text.ts'

const trimmed = (value: unknown) => (typeof value === 'string' ? trimInvisible(value) : value)
const name = z.preprocess(trimmed, storableText(limits.wordLengthMax))
const email = z.preprocess(trimmed, z.email().max(limits.emailLengthMax))
const shops = z.array(z.uuid()).max(limits.shopsPerOperator).nullable()
const secret = z.string().max(limits.wordLengthMax)

const readOnlyFields = {
  ...{ id: readOnly, object: readOnly, createdAt: readOnly, disabledAt: readOnly, lastSeenAt: readOnly },
}

export const operatorInput = z.strictObject({
  ...readOnlyFields,
  ...{ name, email, role: z.enum(roles), shops: shops.optional() },
})

export const operatorChange = z.strictObject({
  ...readOnlyFields,
  ...{ name: name.optional(), email: email.optional(), role: z.enum(roles).optional(), shops: shops.optional() },
})

export const operatorTokenInput = z.strictObject({ name, expiresAt: storedInstant.nullable().optional() })

/** A sign-in by a token or by the code of a sign-in link. */
export const signInInput = z
  .strictObject({ token: secret.optional(), code: secret.optional() })
  .refine(({ token, code }) => (token === undefined) !== (code === undefined), { error: 'must hold token or code' })

export const signInLinkInput = emptyInput

export type OperatorInput = z.output<typeof operatorInput>
export type OperatorChange = z.output<typeof operatorChange>
