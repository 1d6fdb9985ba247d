// The product as the back office answers it, and what several parts of the screen say of it.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Tone } from '../../parts/status.tsx'
import { words } from '../../words/en.ts'

export type Product = BackOfficeSchemas['Product']

/** Whether buyers see it and can buy it. */
export function statusOf({ isPublished, inStock }: Product): { tone: Tone; word: string } {
  if (!isPublished) return { tone: 'off', word: words.products.draft }
  return inStock ? { tone: 'ok', word: words.products.published } : { tone: 'wait', word: words.products.soldOut }
}

export function stockWords(stock: number | null): string {
  return stock === null ? words.products.notCounted : stock.toLocaleString(words.locale)
}
