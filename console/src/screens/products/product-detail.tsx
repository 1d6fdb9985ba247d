// One product: what it costs, whether buyers see it, what it is, and its variants.
import { useState } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { asCommand, asCurl, asMcp } from '../../parts/list/ways.ts'
import { moneyWords } from '../../parts/money.ts'
import { EditPanel, useEdit } from '../../parts/object/edit.tsx'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Product, statusOf } from './product.ts'
import { ProductFacts } from './product-facts.tsx'
import { ProductForm } from './product-form.tsx'
import { typedOf } from './product-input.ts'
import { ProductVariants } from './product-variants.tsx'
import { Publishing } from './publishing.tsx'
import { changeProduct } from './save-product.ts'

type ProductDetailProps = {
  shop: Shop
  id: string
  mayChange: boolean
  place: Place
  changed: (product: Product) => void
}

export function ProductDetail({ shop, id, mayChange, place, changed }: ProductDetailProps) {
  const product = useLoad(`product ${shop.handle} ${id}`, (signal) => api.products.get(shop.handle, id, { signal }))
  const [isJson, setJson] = useState(false)
  const edit = useEdit(mayChange)
  const after = (saved: Product) => {
    product.put(saved)
    changed(saved)
  }
  const path = `/shops/${shop.handle}/products/${id}`
  const ways = [
    asCurl(location.origin, { method: 'GET', path }),
    asCommand(`products show ${id}`, shop.handle),
    asMcp('get_product', { id }),
  ]
  return (
    <>
      {place.isAlone && product.data === null && <h1>{words.products.one}</h1>}
      <Shown of={product} rows={8}>
        {(data) => (
          <>
            <ObjectHead name={data.title} id={id} place={place} ways={ways} isJson={isJson} setJson={setJson}>
              <Status {...statusOf(data)} />
              <strong class="sum">{moneyWords(data.price)}</strong>
            </ObjectHead>
            <Publishing shop={shop} product={data} mayChange={mayChange} edit={edit} done={after} />
            <EditPanel edit={edit}>
              {() => (
                <ProductForm
                  first={typedOf(data, shop.timeZone)}
                  currency={data.price.currency}
                  submit={words.forms.save}
                  hasSlug
                  cancel={edit.close}
                  send={async (typed) => {
                    after(await changeProduct(shop, data, typed))
                    edit.saved()
                  }}
                />
              )}
            </EditPanel>
            {isJson ? (
              <JsonView value={data} />
            ) : (
              <>
                <ProductFacts product={data} zone={shop.timeZone} />
                <ProductVariants product={data} />
              </>
            )}
          </>
        )}
      </Shown>
    </>
  )
}
