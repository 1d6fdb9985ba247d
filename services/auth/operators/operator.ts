// The rules of an operator: which shops fit a role, and who is the last owner. docs/spec/operators-and-roles.md#operators
import type { OperatorChange, OperatorInput } from '#contracts/input/operator'
import type { Role } from '#contracts/objects/operator'
import { refuse } from '#contracts/errors'
import type { OperatorRow } from '../tables.ts'

/** The row of a new operator. Refuses invalid_request naming the field. */
export function newOperator({ name, email, role, shops }: OperatorInput, id: string, now: Date): OperatorRow {
  return {
    id,
    name,
    email,
    role,
    shops: shopsOf(role, shops ?? null),
    created_at: now,
    disabled_at: null,
    last_seen_at: null,
  }
}

/** The row after a change. An operator who becomes an owner may see all shops. Refuses invalid_request naming the field. */
export function changedOperator(row: OperatorRow, change: OperatorChange): OperatorRow {
  const role = change.role ?? row.role
  const becomesOwner = role === 'owner' && row.role !== 'owner'
  const kept = becomesOwner ? null : row.shops
  return {
    ...row,
    name: change.name ?? row.name,
    email: change.email ?? row.email,
    role,
    shops: shopsOf(role, change.shops === undefined ? kept : change.shops),
  }
}

/** Whether no other owner is in force. `owners` may hold other operators too. */
export function isLastOwner(row: OperatorRow, owners: OperatorRow[]): boolean {
  const isOwner = ({ role, disabled_at }: OperatorRow) => role === 'owner' && disabled_at === null
  return isOwner(row) && !owners.some((other) => other.id !== row.id && isOwner(other))
}

function shopsOf(role: Role, shops: string[] | null): string[] | null {
  if (role === 'owner') {
    if (shops === null) return null
    throw refuse('invalid_request', 'shops must be null for an owner, who may see all shops.', { field: 'shops' })
  }
  if (shops === null) {
    throw refuse('invalid_request', `shops must list the shops that a ${role} may see.`, { field: 'shops' })
  }
  return [...new Set(shops.map((id) => id.toLowerCase()))]
}
