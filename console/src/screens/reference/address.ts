// What the address of the reference holds besides the entry: the filter, the group and the shop to try in.
import { type Group, groups } from './entries.ts'

export type Held = { filter: string; group: Group | null; shop: string | null; leftOut: string[] }

export function readAddress(search: string): Held {
  const query = new URLSearchParams(search)
  const group = groups.find((one) => one === query.get('in')) ?? null
  const leftOut = [...query].filter(([name]) => {
    if (name === 'in') return group === null
    return name !== 'q' && name !== 'shop'
  })
  return {
    filter: query.get('q') ?? '',
    group,
    shop: query.get('shop'),
    leftOut: leftOut.map(([name, value]) => `${name}=${value}`),
  }
}

/** The query with a part changed, and without what is not valid; empty, or with its `?`. */
export function searchWith(search: string, change: { q?: string; in?: Group | null; shop?: string }): string {
  const { filter, group, shop } = readAddress(search)
  const parts = { q: filter, in: group, shop, ...change }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parts)) if (value !== null && value !== '') query.set(name, value)
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
