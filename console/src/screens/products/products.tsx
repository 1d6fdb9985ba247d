// Products: the list, and one product beside it on a wide window or alone on a narrow one.
import { useCallback, useMemo, useState } from 'preact/hooks'
import { useMayChange } from '../../frame/role.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { NewProduct } from './new-product.tsx'
import { ProductDetail } from './product-detail.tsx'
import { NEW, productsList } from './products-list.tsx'
import type { Product } from './product.ts'

export function Products({ shop, id }: ScreenProps) {
  const mayChange = useMayChange()
  const [changed, setChanged] = useState<Product | null>(null)
  const [version, setVersion] = useState(0)
  const created = useCallback(() => setVersion((before) => before + 1), [])
  const config = useMemo(() => productsList(shop, mayChange), [shop, mayChange])
  return (
    <ListAndObject config={config} id={id} one={words.products.one} changed={changed} version={version}>
      {(open, place) =>
        open === NEW ? (
          <NewProduct shop={shop} mayChange={mayChange} place={place} created={created} />
        ) : (
          <ProductDetail key={open} shop={shop} id={open} mayChange={mayChange} place={place} changed={setChanged} />
        )
      }
    </ListAndObject>
  )
}
