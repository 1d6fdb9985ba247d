// Resolves the ids by which exported objects name products, variants and contacts, to those of this shop.
// docs/spec/imports.md#ids-of-another-shop
import { LRUCache } from 'lru-cache'
import type { Call } from '#runtime/service'
import type { CallMeta } from '#contracts/caller'
import { resolved } from '#contracts/actions/import-result'
import { isUuid } from '#contracts/actions/params'
import { limits } from '#contracts/limits'
import type { ExportedItem } from '../reader/item.ts'

const idsCachedMax = 50_000 // Some 10 MB. Files name the same products and contacts again and again.

type Named = { products: string[]; contacts: string[] }

export function openExportedLinks(call: Call, meta: CallMeta) {
  // '' where the shop has no such object.
  const known = new LRUCache<string, string>({ max: idsCachedMax })

  const resolve = async (action: 'products.resolve' | 'contacts.resolve', named: string[]) => {
    const found: [string, string][] = []
    const asked: string[] = []
    for (const id of new Set(named)) {
      const cached = known.get(id)
      if (cached === undefined) asked.push(id)
      else found.push([id, cached])
    }
    for (let at = 0; at < asked.length; at += limits.importLinksAtOnce) {
      const ids = asked.slice(at, at + limits.importLinksAtOnce)
      const answer = resolved.parse(await call(action, { ids }, meta)).ids
      for (const id of ids) {
        known.set(id, answer[id] ?? '')
        found.push([id, answer[id] ?? ''])
      }
    }
    return found.filter(([, id]) => id !== '')
  }

  return {
    /** The objects as the services import them. */
    async ofObjects(items: ExportedItem[]) {
      const named = items.map(namesOf)
      const products = await resolve(
        'products.resolve',
        named.flatMap(({ products: ids }) => ids),
      )
      const contacts = await resolve(
        'contacts.resolve',
        named.flatMap(({ contacts: ids }) => ids),
      )
      const known = new Map([...products, ...contacts])
      return items.map(({ key, exported: { id, fields } }, index) => {
        const ids = [...(named[index]?.products ?? []), ...(named[index]?.contacts ?? [])]
        const links = ids.flatMap((one): [string, string][] => (known.has(one) ? [[one, known.get(one) ?? '']] : []))
        return { key, id, fields, links: Object.fromEntries(links) }
      })
    },
  }
}

function namesOf({ exported: { list, fields } }: ExportedItem): Named {
  const lines = list === 'orders' && Array.isArray(fields.items) ? (fields.items as Record<string, unknown>[]) : []
  const products = [fields.productId, ...lines.flatMap(({ productId, variantId }) => [productId, variantId])]
  const contacts = [fields.clientId, fields['customer.clientId']]
  return { products: idsOf(products), contacts: idsOf(contacts) }
}

function idsOf(values: unknown[]): string[] {
  return values.flatMap((value) => (typeof value === 'string' && isUuid(value) ? [value.toLowerCase()] : []))
}
