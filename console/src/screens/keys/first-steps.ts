// Ready to paste: the first call with a new key. Each text has the secret in it, so it is made only where the secret is shown.
import { words } from '../../words/en.ts'
import type { NamedText } from '../../parts/secret/texts.tsx'
import type { NewKey } from './key.ts'

type Resource = NonNullable<NewKey['resources']>[number]
type Step = { path: string; call: string }

const calls: Record<Resource, Step> = {
  shop: { path: '/shop', call: 'console.log(await shop.shop.get())' },
  orders: { path: '/orders?limit=1', call: 'for await (const { id } of shop.orders.list()) console.log(id)' },
  products: { path: '/products?limit=1', call: 'for await (const { id } of shop.products.list()) console.log(id)' },
  contacts: { path: '/contacts?limit=1', call: 'for await (const { id } of shop.contacts.list()) console.log(id)' },
}

/** `origin` is that of the public API. The call is one that the key may make. */
export function firstSteps(origin: string, { secret, resources }: NewKey): NamedText[] {
  const { path, call } = calls[resources?.[0] ?? 'shop']
  const mcp = `${origin}/api/mcp`
  const config = { mcpServers: { storefront: { url: mcp, headers: { Authorization: `Bearer ${secret}` } } } }
  const { steps } = words.apiKeys
  return [
    { name: steps.curl, text: `curl '${origin}/api/v1${path}' \\\n  -H 'Authorization: Bearer ${secret}'` },
    {
      name: steps.typescript,
      text: `import { createStorefront } from '@storefront/client'\n\nconst shop = createStorefront({ baseUrl: '${origin}', key: '${secret}' })\n${call}\n`,
    },
    { name: steps.mcp, text: JSON.stringify(config, null, 2) },
    {
      name: steps.claudeCode,
      text: `claude mcp add --transport http storefront ${mcp} --header 'Authorization: Bearer ${secret}'`,
    },
  ]
}
