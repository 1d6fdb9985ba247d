// Customers: the Shopify export in both generations of its header, and Spree's sample (docs/spec/imports.md#shopify-customers).
import { describe, expect, test } from '@jest/globals'
import { importPath, importText, londonShop } from '#testing/files/import-text'

const classic =
  'Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Company,Address1,Address2,City,Province,Province Code,Country,Country Code,Zip,Phone,Note,Tags,Total Spent,Total Orders'
const newer =
  'Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Default Address Address1,Default Address Address2,Default Address City,Default Address Province Code,Default Address Country Code,Default Address Zip,Default Address Phone,Phone,Accepts SMS Marketing,Total Spent,Total Orders,Note,Tags,Tax Exempt'

const short = 'Customer ID,First Name,Last Name,Email,Phone,Tags,Total Orders'
const read = (...rows: string[]) => importText(`${short}\n${rows.join('\n')}\n`)

test('a row of the older header', async () => {
  const row = `'8779761975521,Ada,Lovelace,Ada@Example.com,yes,Co,1 Sea Street,Flat 2,Bath,Somerset,SOM,United Kingdom,GB,'07175,020 7946 0958,secret,"VIP, new",10.00,1`
  const { contacts, file, report } = await importText(`${classic}\n${row}\n`)
  expect([file.format.format, file.ignoredColumns, report.problems]).toEqual(['shopify-customers', [], []])
  expect(contacts).toEqual([
    {
      kind: 'contact',
      key: '8779761975521',
      record: 1,
      line: 2,
      only_create: false,
      contact: {
        name: 'Ada Lovelace',
        email: 'Ada@example.com',
        phone: '+442079460958',
        tags: ['vip', 'new'],
        address: {
          line1: '1 Sea Street',
          line2: 'Flat 2',
          city: 'Bath',
          region: 'Somerset',
          postal_code: '07175',
          country: 'GB',
        },
        source: 'import',
        created_at: null,
      },
    },
  ])
})

test('a row of the newer header: codes only, and the phone of the address', async () => {
  const row = `'123,Grace,,grace@example.com,no,,1 Main St,,Austin,TX,US,78701,512-555-0100,,no,0,0,,,no`
  const { contacts, file } = await importText(`${newer}\n${row}\n`)
  expect(file.ignoredColumns).toEqual([])
  expect(contacts[0]?.contact).toMatchObject({
    name: 'Grace',
    phone: '+15125550100',
    address: { line1: '1 Main St', city: 'Austin', region: 'TX', postal_code: '78701', country: 'US' },
  })
})

describe('the key', () => {
  test('is the id, else the email, else the phone; an id that has lost digits is none', async () => {
    const { contacts, report } = await read(
      '1,A,,a@example.com,,,0',
      ',B,,B@example.com,,,0',
      ',C,,,+442079460958,,0',
      '8.77976E+12,D,,d@example.com,,,0',
    )
    expect(contacts.map(({ key }) => key)).toEqual(['1', 'b@example.com', '+442079460958', 'd@example.com'])
    expect(report.problems.map(({ code, record }) => [code, record])).toEqual([['damaged_id', 4]])
  })

  test('a row with neither email nor phone fails', async () => {
    const { contacts, report } = await read('1,A,,,,,0', '2,B,,b@example.com,,,0')
    expect(contacts.map(({ key }) => key)).toEqual(['2'])
    expect(report.counts.failed).toBe(1)
    expect(report.problems).toMatchObject([{ code: 'no_identity', record: 1, line: 2, severity: 'error' }])
  })
})

describe('two rows of one person', () => {
  test('the same email in another case: one contact, the later row fills gaps and is reported', async () => {
    const { contacts, report } = await read(
      '1,,,ada@example.com,,vip,0',
      '2,Bea,,bea@example.com,,,0',
      '3,Ada,L,ADA@example.com,+442079460958,new,0',
    )
    expect(contacts.map(({ key }) => key)).toEqual(['2', '1'])
    expect(contacts[1]?.contact).toMatchObject({
      name: 'Ada L',
      email: 'ada@example.com',
      phone: '+442079460958',
      tags: ['vip', 'new'],
    })
    expect(report.problems).toMatchObject([
      { code: 'merged', record: 3, severity: 'warning', message: 'The same person stands in line 2.' },
    ])
  })

  test('the same phone, once written nationally: one contact with the first name and email', async () => {
    const { contacts, report } = await read(
      '1,Ada,,a@example.com,020 7946 0958,,0',
      '2,Bob,,b@example.com,+442079460958,,0',
    )
    expect(contacts.map(({ key, contact }) => [key, contact.name, contact.email])).toEqual([
      ['1', 'Ada', 'a@example.com'],
    ])
    expect(report.problems.map(({ code }) => code)).toEqual(['merged'])
  })
})

test('names: joined by one space, or left to email and phone', async () => {
  const { contacts } = await read(
    '1,Ada,Lovelace,a@example.com,,,0',
    '2,,Hopper,b@example.com,,,0',
    '3,,,c@example.com,,,0',
  )
  expect(contacts.map(({ contact }) => contact.name)).toEqual(['Ada Lovelace', 'Hopper', null])
})

test('a bad email and a bad phone are left out, each with its column', async () => {
  const { contacts, report } = await read('1,A,,nobody,+442079460958,,0', '2,B,,b@example.com,none,,0')
  expect(contacts.map(({ contact }) => [contact.email, contact.phone])).toEqual([
    [null, '+442079460958'],
    ['b@example.com', null],
  ])
  expect(report.problems.map(({ code, column }) => [code, column])).toEqual([
    ['bad_email', 'Email'],
    ['bad_phone', 'Phone'],
  ])
})

test('an unknown country is none, with a warning; a code wins over the name', async () => {
  const header = 'First Name,Email,Country,Country Code,Total Orders\n'
  const { contacts, report } = await importText(
    `${header}A,a@example.com,Atlantis,,0\nB,b@example.com,Germany,AT,0\nC,c@example.com,Germany,??,0\n`,
  )
  expect(contacts.map(({ contact }) => contact.address.country)).toEqual([null, 'AT', 'DE'])
  expect(report.problems.map(({ code, record }) => [code, record])).toEqual([['bad_country', 1]])
})

test("Spree's 20 customers: 15 phones cannot be normalised, five can", async () => {
  const shop = { ...londonShop, currency: 'USD', country: 'US' }
  const { contacts, file, report } = await importPath('testing/data/spree-customers.csv', shop)
  expect([file.format.format, file.ignoredColumns, contacts.length]).toEqual(['spree-customers', [], 20])
  expect(report.problems.map(({ code }) => code)).toEqual(Array.from({ length: 15 }, () => 'bad_phone'))
  expect(contacts.flatMap(({ contact }) => contact.phone ?? [])).toEqual([
    '+442079460958',
    '+14165550173',
    '+493012345678',
    '+16045550248',
    '+441614960321',
  ])
  expect(contacts[0]).toMatchObject({
    key: 'sarah.johnson@example.com',
    contact: {
      name: 'Sarah Johnson',
      tags: ['vip', 'returning'],
      address: { line1: '742 Evergreen Terrace', region: 'IL', postal_code: '62704', country: 'US' },
    },
  })
})
