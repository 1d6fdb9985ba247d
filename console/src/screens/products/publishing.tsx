// What can be done to a product: its form, and whether buyers see it.
import { useState } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import { type Edit, EditButton } from '../../parts/object/edit.tsx'
import { Problem } from '../../parts/state.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Product } from './product.ts'

type PublishingProps = {
  shop: Shop
  product: Product
  mayChange: boolean
  edit: Edit
  done: (product: Product) => void
}

const text = words.products

export function Publishing({ shop, product, mayChange, edit, done }: PublishingProps) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const [said, setSaid] = useState<string | null>(null)
  const press = async (isPublished: boolean) => {
    const reason = reasonOf(product, isPublished, mayChange)
    setError(null)
    setSaid(reason === null ? null : `${labelOf(isPublished)}: ${reason}`)
    if (reason !== null || isBusy) return
    setBusy(true)
    try {
      done(await api.products.change(shop.handle, product.id, { isPublished }))
      setSaid(isPublished ? text.publishedDone : text.unpublishedDone)
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
  }
  return (
    <section class="moves" aria-label={text.moves}>
      <div class="buttons">
        <EditButton edit={edit} say={setSaid} />
        {[true, false].map((isPublished) => {
          const reason = reasonOf(product, isPublished, mayChange)
          return (
            <button
              type="button"
              key={String(isPublished)}
              aria-disabled={reason !== null}
              aria-busy={isBusy && reason === null}
              title={reason ?? undefined}
              onClick={() => void press(isPublished)}
            >
              {labelOf(isPublished)}
            </button>
          )
        })}
      </div>
      {error !== null && <Problem error={error} />}
      <p class="result" role="status">
        {said}
      </p>
    </section>
  )
}

function labelOf(isPublished: boolean): string {
  return isPublished ? text.publish : text.unpublish
}

function reasonOf(product: Product, isPublished: boolean, mayChange: boolean): string | null {
  if (!mayChange) return text.roleReason
  if (product.isPublished !== isPublished) return null
  return isPublished ? text.isPublished : text.isDraft
}
