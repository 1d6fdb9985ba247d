// Reading our own exports: CSV and JSON lines give the same fields, whatever the texts; what a file lacks, empties or says wrongly.
// docs/spec/imports.md#our-own-files
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type ExportList, type ObjectTable, objectTables } from '#export/columns'
import { csvLine } from '#export/csv'
import { openRows } from '#export/rows'
import { importText } from '#testing/files/import-text'

type Json = Record<string, unknown>

const id = '0a000000-0000-4000-8000-000000000001'
const money = (cents: number) => ({ cents, amount: (cents / 100).toFixed(2), currency: 'GBP' })

function csvOf(table: ObjectTable, objects: Json[]): string {
  const { header, rows } = openRows(table, objects[0] ?? null)
  return [header, ...objects.flatMap(rows)].map(csvLine).join('')
}

const ndjsonOf = (objects: Json[]) => objects.map((object) => `${JSON.stringify(object)}\n`).join('')

async function itemsOf(text: string) {
  const { items, report } = await importText(text)
  expect(report.problems).toEqual([])
  return items
    .filter((item) => item.kind === 'exported')
    .map(({ key, record, line, exported }) => ({ key, record, line, ...exported }))
}

const problemsOf = async (text: string) => {
  const { report, items } = await importText(text)
  const problems = report.problems.map(({ line, column, code }) => ({ line, column, code }))
  return { problems, failed: report.counts.failed, items: items.length }
}

/** An object with every field of its table. */
function anyObject(table: ObjectTable): fc.Arbitrary<Json> {
  const words = fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '"', ',', '\\', ' ', '🎉', 'a')
  const text = fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      fc.string({ unit: words, minLength: 1, maxLength: 8 }),
    )
    .filter((value) => !value.includes('\u0000') && value.isWellFormed())
  const instant = fc
    .date({ min: new Date('2001-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
    .map((at) => at.toISOString())
  const valueOf: Record<string, fc.Arbitrary<unknown>> = {
    text,
    integer: fc.nat(),
    money: fc.nat().map(money),
    boolean: fc.boolean(),
    instant,
    list: fc.array(text, { maxLength: 3 }),
    pairs: fc.dictionary(text, text, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    shown: fc.constant(null),
  }
  const fieldsOf = (columns: ObjectTable['columns']) =>
    fc
      .tuple(
        ...columns
          .filter(({ type }) => type !== 'present' && type !== 'currency')
          .map(({ path, type, isNullable, name }) => {
            const value = name === 'id' ? fc.uuid() : (valueOf[type] ?? fc.constant(null))
            return fc.tuple(fc.constant(path), isNullable ? fc.option(value) : value)
          }),
      )
      .map((fields) => {
        const object: Json = {}
        for (const [path, value] of fields) {
          const [first = '', second] = path
          object[first] = second === undefined ? value : { ...(object[first] as Json | undefined), [second]: value }
        }
        return object
      })
  const { children } = table
  const elements = children === null ? fc.constant([]) : fc.array(fieldsOf(children.columns), { maxLength: 3 })
  return fc.tuple(fc.uuid(), fieldsOf(table.columns), elements).map(([own, fields, list]) => ({
    id: own,
    object: table.object,
    ...fields,
    ...('price' in fields || table.list === 'products' ? {} : { currency: 'GBP' }),
    ...(table.list === 'subscriptions' ? { currency: 'GBP' } : {}),
    ...(children === null ? {} : { [children.name]: list }),
  }))
}

test.each(Object.keys(objectTables) as ExportList[])(
  '%s with hostile texts are read alike from CSV and from JSON lines',
  async (list) => {
    const table = objectTables[list]
    const objects = fc.uniqueArray(anyObject(table), { minLength: 1, maxLength: 4, selector: (object) => object.id })
    await fc.assert(
      fc.asyncProperty(objects, async (given) => {
        const [csv, lines] = [await itemsOf(csvOf(table, given)), await itemsOf(ndjsonOf(given))]
        expect(csv.map(({ id: own, key, fields }) => ({ own, key, fields }))).toEqual(
          lines.map(({ id: own, key, fields }) => ({ own, key, fields })),
        )
        expect(lines.map(({ id: own }) => own)).toEqual(given.map((object) => object.id))
      }),
      { numRuns: 60 },
    )
  },
)

describe('a CSV file', () => {
  test('with only some columns says nothing about the others, and an empty cell empties its field', async () => {
    const text = 'id,paymentStatus,customer.clientId,note,items.id,items.sku\n'
    const line = '0b000000-0000-4000-8000-000000000001'
    expect(await itemsOf(`${text}${id},paid,,,${line},A-1\n`)).toMatchObject([
      {
        id,
        key: id,
        list: 'orders',
        fields: { paymentStatus: 'paid', 'customer.clientId': null, note: null, items: [{ id: line, sku: 'A-1' }] },
      },
    ])
  })

  test('may have the rows of an object anywhere, in any order', async () => {
    const other = '0a000000-0000-4000-8000-000000000002'
    const header = 'id,paymentStatus,customer.clientId,items.title\n'
    const text = `${header}${id},,,Second\n${other},unpaid,,Else\n${id.toUpperCase()},paid,,Third\n`
    const items = await itemsOf(text)
    expect(items.map(({ id: own, fields }) => [own, fields.paymentStatus, fields.items])).toEqual([
      [other, 'unpaid', [{ title: 'Else' }]],
      [id, 'paid', [{ title: 'Second' }, { title: 'Third' }]],
    ])
  })

  test.each([
    [
      'an empty cell of a field that must not be empty',
      `id,paymentStatus,customer.clientId\n${id},,\n`,
      'paymentStatus',
      'value_required',
    ],
    [
      'two rows that say different things',
      `id,paymentStatus,customer.clientId\n${id},paid,\n${id},unpaid,\n`,
      'paymentStatus',
      'records_differ',
    ],
    ['an amount that is none', `id,paymentStatus,customer.clientId,total\n${id},paid,,1.2.3\n`, 'total', 'money'],
    ['a negative amount', `id,paymentStatus,customer.clientId,total\n${id},paid,,'-5\n`, 'total', 'money'],
    [
      'an amount with too many decimals',
      `id,paymentStatus,customer.clientId,total\n${id},paid,,1.005\n`,
      'total',
      'money_precision',
    ],
    [
      'amounts of another currency',
      `id,paymentStatus,customer.clientId,currency\n${id},paid,,EUR\n`,
      'currency',
      'currency_mismatch',
    ],
    [
      'a date that is none',
      `id,paymentStatus,customer.clientId,createdAt\n${id},paid,,soon\n`,
      'createdAt',
      'bad_date',
    ],
    ['an id that is none', 'id,paymentStatus,customer.clientId\n12,paid,\n', 'id', 'bad_id'],
    ['the character U+0000', `id,paymentStatus,customer.clientId,note\n${id},paid,,a\u0000b\n`, null, 'bad_text'],
  ])('with %s fails the object and names the column', async (_, text, column, code) => {
    const { problems, failed, items } = await problemsOf(text)
    expect(problems[0]).toMatchObject({ column, code })
    expect({ failed, items }).toEqual({ failed: 1, items: 0 })
  })

  test('without ids knows an object by its external id, else by its name, else by its content', async () => {
    const header = 'id,externalId,slug,trackInventory,title\n'
    const items = await itemsOf(`${header},erp-7,mug,false,Mug\n,,Bowl,false,Bowl\n`)
    expect(items.map(({ id: own, key }) => [own, key])).toEqual([
      [null, 'erp-7'],
      [null, 'slug:bowl'],
    ])
    const orders = await itemsOf('id,paymentStatus,customer.clientId,items.title\n,paid,,Mug\n,paid,,Bowl\n')
    expect(new Set(orders.map(({ key }) => key.slice(0, 8)))).toEqual(new Set(['content:']))
    expect(new Set(orders.map(({ key }) => key)).size).toBe(2)
  })
})

describe('a file of JSON lines', () => {
  const order = { id, object: 'order', paymentStatus: 'paid' }

  test('is read with blank lines, CR LF, a byte order mark and without a last line break', async () => {
    const text = `\ufeff\n\r\n${JSON.stringify(order)}\r\n\n${JSON.stringify({ ...order, note: null })}`
    const { items, report } = await importText(text)
    expect(items).toMatchObject([
      { line: 3, record: 1, exported: { fields: { paymentStatus: 'paid' } } },
      { line: 5, record: 2, exported: { fields: { paymentStatus: 'paid', note: null } } },
    ])
    expect(report.counts).toMatchObject({ records: 2, failed: 0, blankRecords: 3 })
    const { report: ofEnd } = await importText(`${JSON.stringify(order)}\n\n \n`)
    expect(ofEnd.counts).toMatchObject({ records: 1, blankRecords: 2 })
  })

  test('names the fields that it does not know as ignored columns', async () => {
    const text = ndjsonOf([{ ...order, mood: 'good', customer: { name: null, age: 3 }, items: [{ id, weight: 1 }] }])
    const { file } = await importText(text)
    expect(file.format.format).toBe('storefront-orders')
    expect(file.ignoredColumns).toEqual(['mood', 'customer.age', 'items.weight'])
  })

  test('of the role support says nothing about what the role does not see', async () => {
    const hidden = {
      customer: { clientId: null, name: null, email: null, phone: null },
      address: null,
      note: null,
      privateNote: null,
    }
    const [item] = await itemsOf(ndjsonOf([{ ...order, ...hidden, redacted: true }]))
    expect(item?.fields).toEqual({ paymentStatus: 'paid', 'customer.clientId': null })
    const [shown] = await itemsOf(csvOf(objectTables.orders, [{ ...order, ...hidden, items: [], redacted: true }]))
    expect(Object.keys(shown?.fields ?? {}).filter((name) => /name|email|phone|note|address/i.test(name))).toEqual([])
  })

  test.each([
    ['a line that is no JSON', `${JSON.stringify(order)}\n{"id":\n`, null, 'bad_json'],
    ['a line that is no object', `${JSON.stringify(order)}\n[1]\n`, null, 'bad_json'],
    ['an object of another kind', `${JSON.stringify(order)}\n{"object":"contact"}\n`, 'object', 'wrong_object'],
    ['a field of another type', `${JSON.stringify(order)}\n{"object":"order","note":5}\n`, 'note', 'bad_value'],
    [
      'money of another currency',
      `${JSON.stringify(order)}\n{"object":"order","total":{"cents":1,"currency":"EUR"}}\n`,
      'total',
      'currency_mismatch',
    ],
    [
      'null where a value must be',
      `${JSON.stringify(order)}\n{"object":"order","status":null}\n`,
      'status',
      'value_required',
    ],
    ['items that are no list', `${JSON.stringify(order)}\n{"object":"order","items":{}}\n`, 'items', 'bad_value'],
  ])('with %s fails that object and no other', async (_, text, column, code) => {
    expect(await problemsOf(text)).toEqual({ problems: [{ line: 2, column, code }], failed: 1, items: 1 })
  })

  test('whose objects are of no known kind fails as a whole, and so does a line over a megabyte', async () => {
    await expect(importText('{"object":"shop"}\n')).rejects.toMatchObject({ code: 'unknown_format' })
    await expect(importText('{"a":\n')).rejects.toMatchObject({ code: 'unknown_format' })
    const long = JSON.stringify({ ...order, note: 'x'.repeat(1_100_000) })
    await expect(importText(`${long}\n`)).rejects.toMatchObject({ code: 'cell_too_large' })
  })
})
