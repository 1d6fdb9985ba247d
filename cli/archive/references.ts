// Which objects an archive refers to without having them. A shop may have such references itself: a membership to a deleted product, or to an
// erased contact. So they are counted and no error. docs/spec/archives.md#verify
import type { PartName } from '#contracts/archive/parts'

type Row = Record<string, unknown>
const COMPACT_AT = 1_000_000

/** How many ids of each kind are referred to and not in the archive. */
export type Dangling = { contacts: number; products: number; variants: number }

export function openReferences() {
  const wanted = { contacts: openIds(), products: openIds(), variants: openIds() }
  const held = { contacts: openIds(), products: openIds(), variants: openIds() }
  return {
    add(part: PartName, row: Row): void {
      if (part === 'contacts') held.contacts.add(row.id)
      if (part === 'products') {
        held.products.add(row.id)
        for (const { id } of row.variants as Row[]) held.variants.add(id)
      }
      if (part === 'orders' || part === 'subscriptions') wanted.contacts.add(row.client_id)
      if (part === 'subscriptions') wanted.products.add(row.product_id)
      if (part !== 'orders') return
      for (const line of row.lines as Row[]) {
        wanted.products.add(line.product_id)
        wanted.variants.add(line.variant_id)
      }
    },
    dangling(): Dangling {
      return {
        contacts: countMissing(wanted.contacts.sorted(), held.contacts.sorted()),
        products: countMissing(wanted.products.sorted(), held.products.sorted()),
        variants: countMissing(wanted.variants.sorted(), held.variants.sorted()),
      }
    },
  }
}

// Ids as numbers of 64 bits, their first half: of a million ids two share it once in ten million archives.
function openIds() {
  let ids = new BigUint64Array(1_024)
  let count = 0
  let compactAt = COMPACT_AT
  const compact = () => {
    const all = ids.subarray(0, count).sort()
    count = all.filter((id, at) => at === 0 || id !== all[at - 1]).reduce((at, id) => ((ids[at] = id), at + 1), 0)
    compactAt = Math.max(COMPACT_AT, 2 * count)
  }
  return {
    add(id: unknown): void {
      if (typeof id !== 'string') return
      if (count >= compactAt) compact()
      if (count === ids.length) {
        const larger = new BigUint64Array(2 * count)
        larger.set(ids)
        ids = larger
      }
      ids[count] = BigInt(`0x${id.replaceAll('-', '').slice(0, 16)}`)
      count += 1
    },
    sorted(): BigUint64Array {
      compact()
      return ids.subarray(0, count)
    },
  }
}

function countMissing(wanted: BigUint64Array, held: BigUint64Array): number {
  let missing = 0
  let at = 0
  for (const id of wanted) {
    while (at < held.length && (held[at] ?? 0n) < id) at += 1
    if (held[at] !== id) missing += 1
  }
  return missing
}
