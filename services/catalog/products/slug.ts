// Makes slugs from titles and from the slugs of files. docs/spec/objects.md#product
import { isSlug } from '#contracts/input/product'

const MADE_LENGTH_MAX = 100 // Leaves room for a number behind it.

/** A slug from a title: `Crème Brûlée, 2 x` becomes `creme-brulee-2-x`; letters of any script stay. */
export function makeSlug(title: string): string {
  const plain = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f'’]/g, '')
    .normalize('NFC')
  const joined = plain.replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
  const slug = Array.from(joined)
    .slice(0, MADE_LENGTH_MAX)
    .join('')
    .replace(/^[-\p{M}]+|-+$/gu, '')
  return isSlug(slug) ? slug : 'product'
}

/** The slug of an imported product: the one of the file where it is valid. */
export function slugOfFile(slug: string, title: string): string {
  if (isSlug(slug)) return slug
  return makeSlug(slug === '' ? title : slug)
}
