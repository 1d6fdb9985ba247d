// Owns what the shop of the kills sells: tracked products with a known stock, one of them scarce, one with variants.
import type { BackOffice } from './kill-back-office.ts'

/** Something that can be ordered; `initial` units were there before the first order. */
export type Ware = { productId: string; variantId: string | null; initial: number }

/** Makes the products; the last ware is the scarce one. */
export async function stockShelf(backOffice: BackOffice, shop: string): Promise<Ware[]> {
  const wares: Ware[] = []
  for (const [title, stock] of plain) {
    const facts = { title, price: { cents: 100 + title.length * 37 }, kind: 'physical', trackInventory: true, stock }
    const { id } = await backOffice.make(`/shops/${shop}/products`, facts)
    wares.push({ productId: id, variantId: null, initial: stock })
  }
  const shirt = { title: 'Shirt', price: { cents: 1_999 }, kind: 'physical', trackInventory: true }
  const variants = sizes.map((size) => ({ options: { Size: size }, stock: 200_000 }))
  const made = await backOffice.make(`/shops/${shop}/products`, { ...shirt, variants })
  for (const { id } of made.variants as { id: string }[]) {
    wares.unshift({ productId: made.id, variantId: id, initial: 200_000 })
  }
  return wares
}

const sizes = ['S', 'M', 'L']
const plain: [string, number][] = [
  ['Mug', 500_000],
  ['Teapot', 400_000],
  ['Candle', 300_000],
  ['Last of its kind', 150],
]
