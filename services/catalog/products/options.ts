// Owns the options of a variant: what makes two of them the same, and how they read on an order line.
// Spec: Variant (`options`: names are the seller's, variants of one product need not share them); Line item (`variantLabel`).
import { createHash } from 'node:crypto'

/** Equal for equal options, whatever their order: what the database keeps unique for each product. */
export function optionsDigest(options: Record<string, string>): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex')
}

/** The chosen values, for example `L / Blue`; null without any. */
export function optionsLabel(options: Record<string, string>): string | null {
  return Object.values(options).join(' / ') || null
}
