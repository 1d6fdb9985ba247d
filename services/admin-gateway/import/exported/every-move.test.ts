// The exports of a shop that went through every move, refund, dispute, booking, membership and erasure come back equal.
// docs/spec/imports.md#our-own-files
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { importFile, wholeList } from '#testing/admin-requests'
import { duringTests } from '#testing/during-tests'
import { comparableExport, exportOf, fileOf, forms, lists } from '#testing/files/exports'
import { type FullShop, makeFullShop } from '#testing/product/every-move'
import { openStack } from '#testing/product/stack'
import { type MailReceiver, openMailReceiver } from '#testing/servers/mail-receiver'

let mails: MailReceiver
let shop: FullShop
const stack = duringTests(async () => {
  mails = await openMailReceiver()
  return openStack({ form: 'one-process', env: { SMTP_URL: mails.smtpUrl } })
})
beforeAll(async () => {
  shop = await makeFullShop(stack, mails)
}, 60_000)
afterAll(() => mails.close())

test.each(forms)('as %s: unchanged in the same shop, equal objects in another one', async (form) => {
  const other = (await stack.makeShop({ country: 'GB' })).handle
  for (const list of lists) {
    const objects = await exportOf(stack, shop.handle, list)
    const file = fileOf(list, form, objects)
    const same = await importFile(stack, shop.handle, file)
    const unchanged = { created: 0, updated: 0, unchanged: objects.length, failed: 0, errors: [] }
    expect({ list, ...same }).toMatchObject({ list, status: 'completed', ...unchanged })
    expect(await exportOf(stack, shop.handle, list)).toEqual(objects)
    const made = await importFile(stack, other, file)
    expect({ list, ...made }).toMatchObject({ list, status: 'completed', created: objects.length, failed: 0 })
    expect(await comparableExport(stack, other, list)).toEqual(await comparableExport(stack, shop.handle, list))
  }
  expect(await wholeList(stack, other, 'events')).toEqual([])
})
