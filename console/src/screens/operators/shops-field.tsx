// The shops of an operator: those that are chosen, and a field that adds one by its handle. The list of all shops may be long, so the
// newest are suggested and any other can be typed.
import { useState } from 'preact/hooks'
import { orNone } from '../../frame/or-none.ts'
import { api } from '../../frame/session.ts'
import { TextField } from '../../parts/fields/fields.tsx'
import { Problem } from '../../parts/state.tsx'
import { words } from '../../words/en.ts'
import { nameIn, useShopNames } from './shop-names.ts'

type ShopsFieldProps = { chosen: readonly string[]; choose: (ids: string[]) => void }

const text = words.operators

export function ShopsField({ chosen, choose }: ShopsFieldProps) {
  const known = useShopNames()
  const [handle, setHandle] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const add = async () => {
    if (handle.trim() === '' || isBusy) return
    setBusy(true)
    setError(null)
    try {
      const shop = await orNone(api.shops.get(handle.trim()))
      if (shop === null) setError(text.noShop(handle.trim()))
      else {
        known.add(shop)
        choose([...new Set([...chosen, shop.id])])
        setHandle('')
      }
    } catch (reason) {
      setError(reason)
    }
    setBusy(false)
  }
  return (
    <fieldset
      class="field-group"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault() // It adds the shop, and does not send the form.
        void add()
      }}
    >
      <legend>{text.columns.shops}</legend>
      {chosen.length === 0 && <p class="hint">{text.noShops}</p>}
      {chosen.length > 0 && (
        <ul class="chosen-shops">
          {chosen.map((id) => {
            const name = nameIn(known, id)
            return (
              <li key={id}>
                {name}
                <button
                  type="button"
                  class="close"
                  aria-label={text.removeShop(name)}
                  onClick={() => choose(chosen.filter((one) => one !== id))}
                >
                  <span aria-hidden="true">×</span>
                </button>
              </li>
            )
          })}
        </ul>
      )}
      <TextField
        name="shops"
        label={text.addShop}
        hint={text.addShopHint}
        known={known.shops.map((shop) => ({ value: shop.handle, words: shop.name }))}
        value={handle}
        set={setHandle}
      />
      {error !== null && <Problem error={error} />}
      <div class="buttons">
        <button type="button" aria-busy={isBusy} onClick={() => void add()}>
          {text.add}
        </button>
      </div>
    </fieldset>
  )
}
