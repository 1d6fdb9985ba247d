// Owns the making of slugs. A slug that is given stands or is refused; one that is made gives way to one that is taken.
// Spec: product (`slug`: URL segment on the storefront).
import { isSlug } from '#contracts/input/product'

// Leaves room for a number behind it.
const madeLengthMax = 100

/** A slug from a title: `Crème Brûlée, 2 x` gives `creme-brulee-2-x`; letters of any script stay. */
export function makeSlug(title: string): string {
  const plain = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f'’]/g, '')
    .normalize('NFC')
  const joined = plain.replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
  const slug = Array.from(joined)
    .slice(0, madeLengthMax)
    .join('')
    .replace(/^[-\p{M}]+|-+$/gu, '')
  return isSlug(slug) ? slug : 'product'
}

/** The slug of an imported product: the file's own where it can be one. */
export function slugOfFile(slug: string, title: string): string {
  if (isSlug(slug)) return slug
  return makeSlug(slug === '' ? title : slug)
}
