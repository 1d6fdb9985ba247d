// The shops that the operator may see. Where there is one, it opens by itself.
import { useEffect } from 'preact/hooks'
import { go } from '../../frame/address.ts'
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { useTitle } from '../../frame/title.ts'
import { Empty, Shown } from '../../parts/state.tsx'
import { words } from '../../words/en.ts'

export function Shops() {
  useTitle(words.frame.shops)
  const shops = useLoad('shops', (signal) => firstPage(api.shops.list({ limit: 100 }, { signal })))
  const only =
    shops.data !== null && shops.data.data.length === 1 && !shops.data.has_more ? shops.data.data[0] : undefined
  useEffect(() => {
    if (only !== undefined) go(`/s/${only.handle}`, { replace: true })
  }, [only])
  return (
    <div class="screen">
      <h1>{words.frame.shops}</h1>
      <Shown of={shops}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty sentence={words.frame.noShops} />
          ) : (
            <ul class="shop-list">
              {data.map(({ handle, name, currency, mode }) => (
                <li key={handle}>
                  <a href={`/s/${handle}`}>{name}</a> <span class="soft">{currency}</span>{' '}
                  {mode === 'test' && <span class="tag">{words.frame.testShop}</span>}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </div>
  )
}
