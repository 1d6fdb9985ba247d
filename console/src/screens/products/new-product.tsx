// Creates a product, and opens it.
import { useMemo } from 'preact/hooks'
import { go } from '../../frame/address.ts'
import { callKeys } from '../../parts/fields/changes.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Problem } from '../../parts/state.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { ProductForm } from './product-form.tsx'
import { newProduct } from './product-input.ts'
import { createProduct } from './save-product.ts'

type NewProductProps = {
  shop: Shop
  mayChange: boolean
  place: Place
  /** The list must be read again. */
  created: () => void
}

const text = words.forms.product

export function NewProduct({ shop, mayChange, place, created }: NewProductProps) {
  const keyOf = useMemo(callKeys, [])
  return (
    <>
      <ObjectHead name={text.new} place={place} />
      {mayChange ? (
        <ProductForm
          first={newProduct}
          currency={shop.currency}
          submit={text.create}
          hasSlug={false}
          cancel={place.close}
          send={async (typed) => {
            const { id } = await createProduct(shop, typed, keyOf)
            created()
            go(`/s/${shop.handle}/products/${id}`)
          }}
        />
      ) : (
        <Problem error={words.forms.roleMayNot} />
      )}
    </>
  )
}
