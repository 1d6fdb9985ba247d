// The variants of a product in its form: the names of the options, and of each variant its values, its price and its stock.
import { TextField } from '../../parts/fields/fields.tsx'
import { words } from '../../words/en.ts'
import type { TypedProduct, TypedVariant } from './product-input.ts'

type VariantFieldsProps = {
  typed: TypedProduct
  put: (part: Partial<TypedProduct>) => void
  currency: string
}

const text = words.forms.variant

export function VariantFields({ typed, put, currency }: VariantFieldsProps) {
  const { options, variants } = typed
  const change = (place: number, part: Partial<TypedVariant>) =>
    put({ variants: variants.map((one, index) => (index === place ? { ...one, ...part } : one)) })
  const addVariant = () =>
    put({
      options: options.length === 0 ? [text.firstOption] : options,
      variants: [...variants, { id: null, values: options.map(() => ''), sku: '', price: '', stock: '' }],
    })
  const removeOption = (place: number) =>
    put({
      options: without(options, place),
      variants: variants.map((one) => ({ ...one, values: without(one.values, place) })),
    })
  return (
    <fieldset class="field-group">
      <legend>{text.title}</legend>
      {variants.length === 0 && <p class="hint">{text.none}</p>}
      {variants.length > 0 && (
        <div class="field-row">
          {options.map((name, place) => (
            <div class="with-remove" key={place}>
              <TextField
                label={text.option(place + 1)}
                isRequired
                value={name}
                set={(value) => put({ options: options.map((one, index) => (index === place ? value : one)) })}
              />
              {options.length > 1 && (
                <RemoveButton label={text.removeOption(name)} remove={() => removeOption(place)} />
              )}
            </div>
          ))}
        </div>
      )}
      {variants.map((variant, place) => (
        <div
          class="field-group with-remove"
          role="group"
          aria-label={text.variant(place + 1)}
          key={variant.id ?? `new ${place}`}
        >
          <div class="field-row">
            {options.map((name, option) => (
              <TextField
                key={option}
                name={option === 0 ? `variants[${place}]` : undefined}
                label={name === '' ? text.option(option + 1) : name}
                value={variant.values[option] ?? ''}
                set={(value) =>
                  change(place, {
                    values: options.map((_, at) => (at === option ? value : (variant.values[at] ?? ''))),
                  })
                }
              />
            ))}
            <TextField
              name={`variants[${place}].sku`}
              label={text.sku}
              value={variant.sku}
              set={(sku) => change(place, { sku })}
            />
            <TextField
              name={`variants[${place}].price`}
              label={text.price(currency)}
              hint={text.priceHint}
              mode="decimal"
              value={variant.price}
              set={(price) => change(place, { price })}
            />
            {typed.trackInventory && (
              <TextField
                name={`variants[${place}].stock`}
                label={text.stock}
                mode="numeric"
                value={variant.stock}
                set={(stock) => change(place, { stock })}
              />
            )}
          </div>
          <RemoveButton label={text.remove(place + 1)} remove={() => put({ variants: without(variants, place) })} />
        </div>
      ))}
      <div class="buttons">
        <button type="button" onClick={addVariant}>
          {text.add}
        </button>
        {variants.length > 0 && (
          <button type="button" onClick={() => put({ options: [...options, ''] })}>
            {text.addOption}
          </button>
        )}
      </div>
    </fieldset>
  )
}

function RemoveButton({ label, remove }: { label: string; remove: () => void }) {
  return (
    <button type="button" class="close" aria-label={label} title={label} onClick={remove}>
      <span aria-hidden="true">×</span>
    </button>
  )
}

function without<One>(all: readonly One[], place: number): One[] {
  return all.filter((_, index) => index !== place)
}
