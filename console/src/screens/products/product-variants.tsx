// The variants of a product, each with its price and its stock.
import { moneyWords } from '../../parts/money.ts'
import { Status } from '../../parts/status.tsx'
import { words } from '../../words/en.ts'
import { type Product, stockWords } from './product.ts'

const text = words.products

export function ProductVariants({ product }: { product: Product }) {
  if (product.variants.length === 0) return <p class="soft">{text.noVariants}</p>
  return (
    <section class="happened" aria-label={text.variants}>
      <h3>{text.variants}</h3>
      <table class="order-lines">
        <thead>
          <tr>
            <th scope="col">{text.variant}</th>
            <th scope="col">{text.columns.status}</th>
            <th scope="col" class="number">
              {text.columns.stock}
            </th>
            <th scope="col" class="number">
              {text.columns.price}
            </th>
          </tr>
        </thead>
        <tbody>
          {product.variants.map(({ id, options, sku, price, stock, isAvailable }) => (
            <tr key={id}>
              <td>
                {Object.values(options).join(' / ')} {sku !== null && <code>{sku}</code>}
              </td>
              <td>
                <Status tone={isAvailable ? 'ok' : 'wait'} word={isAvailable ? text.available : text.soldOut} />
              </td>
              <td class="number">{stockWords(stock)}</td>
              <td class="number">{moneyWords(price)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
