// Products: the list, and one product beside it on a wide window or alone on a narrow one.
import { useMemo, useState } from 'preact/hooks'
import { useMayChange } from '../../frame/role.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { ProductDetail } from './product-detail.tsx'
import { productsList } from './products-list.tsx'
import type { Product } from './product.ts'

export function Products({ shop, id }: ScreenProps) {
  const mayChange = useMayChange()
  const [changed, setChanged] = useState<Product | null>(null)
  const config = useMemo(() => productsList(shop, mayChange), [shop, mayChange])
  return (
    <ListAndObject config={config} id={id} one={words.products.one} changed={changed}>
      {(open, place) => (
        <ProductDetail key={open} shop={shop} id={open} mayChange={mayChange} place={place} changed={setChanged} />
      )}
    </ListAndObject>
  )
}
