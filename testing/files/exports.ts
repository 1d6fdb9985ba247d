// Exports of a shop as files to import, and their objects in a form in which those of two shops can be compared.
import { type ExportList, objectTables } from '#export/columns'
import { csvLine } from '#export/csv'
import { openRows } from '#export/rows'
import { wholePath } from '../admin-requests.ts'
import type { Stack } from '../product/stack.ts'

type Json = Record<string, unknown>
type Admin = Pick<Stack, 'admin'>

/** In the order in which another shop imports them. */
export const lists: ExportList[] = ['products', 'contacts', 'orders', 'subscriptions']
export const forms = ['csv', 'ndjson'] as const

export function exportOf(stack: Admin, shop: string, list: ExportList): Promise<Json[]> {
  return wholePath<Json>(stack, `/shops/${shop}/exports/${list}`, 100)
}

export function fileOf(list: ExportList, form: (typeof forms)[number], objects: Json[]): string {
  if (form === 'ndjson') return objects.map((object) => `${JSON.stringify(object)}\n`).join('')
  const { header, rows } = openRows(objectTables[list], objects[0] ?? null)
  return [header, ...objects.flatMap(rows)].map(csvLine).join('')
}

/** The objects with words in place of ids, sorted; what an import may not keep is left out. */
export async function comparableExport(stack: Admin, shop: string, list: ExportList): Promise<string[]> {
  const names = new Map<string, string>()
  for (const { id, slug, variants } of await exportOf(stack, shop, 'products')) {
    names.set(String(id), `product ${String(slug)}`)
    for (const variant of variants as Json[])
      names.set(String(variant.id), `variant ${JSON.stringify(variant.options)}`)
  }
  for (const { id, name, phone } of await exportOf(stack, shop, 'contacts'))
    names.set(String(id), `contact ${String(name)} ${String(phone)}`)
  const isRandom = (name: string, value: unknown) => name === 'id' && !names.has(String(value))
  return (await exportOf(stack, shop, list))
    .map((object) =>
      JSON.stringify({ ...object, updatedAt: null }, (name, value: unknown) =>
        isRandom(name, value) ? 'an id' : typeof value === 'string' ? (names.get(value) ?? value) : value,
      ),
    )
    .toSorted()
}
