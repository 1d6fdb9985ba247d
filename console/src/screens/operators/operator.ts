// What the screen knows about operators and their tokens. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Tone } from '../../parts/status.tsx'
import { words } from '../../words/en.ts'

export type Operator = BackOfficeSchemas['Operator']
export type Token = BackOfficeSchemas['OperatorToken']
export type NewToken = BackOfficeSchemas['NewOperatorToken']
export type SignInLink = BackOfficeSchemas['SignInLink']
export const roles = ['owner', 'manager', 'viewer', 'support'] as const
export type Role = (typeof roles)[number]

const text = words.operators

export function statusOf({ disabledAt }: Operator): { tone: Tone; word: string } {
  return disabledAt === null ? { tone: 'ok', word: text.active } : { tone: 'off', word: text.disabled }
}

export function tokenStatusOf({ revokedAt, expiresAt }: Token, now: Date): { tone: Tone; word: string } {
  if (revokedAt !== null) return { tone: 'off', word: text.tokens.revoked }
  if (expiresAt !== null && new Date(expiresAt) <= now) return { tone: 'off', word: text.tokens.expired }
  return { tone: 'ok', word: text.tokens.live }
}

/** How many shops, in words. */
export function shopsWords({ shops }: Operator): string {
  return shops === null ? text.allShops : text.shopCount(shops.length)
}
