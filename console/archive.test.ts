// The card of the archive on the screen of imports, in a real browser (docs/spec/console.md#import-and-export).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { makeOperator, openSignedIn } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let browser: Browser
    beforeAll(async () => {
      stack = await openStack({ form: 'one-process' })
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser.close()
      await stack.stop()
    })

    test('an owner sees the commands that write, check and restore the archive of the shop; a manager does not', async () => {
      const shop = await stack.makeShop()
      for (const [role, shops, count] of [
        ['owner', null, 3],
        ['manager', [shop.id], 0],
      ] as const) {
        const person = await makeOperator(stack, role, shops === null ? undefined : [...shops])
        const { page, context, wrong } = await openSignedIn(stack, browser, person, `/s/${shop.handle}/import`)
        await page.getByRole('region', { name: 'Export', exact: true }).waitFor()
        const commands = page.getByRole('region', { name: 'Archive', exact: true }).locator('code')
        expect(await commands.count()).toBe(count)
        if (count > 0) {
          expect(await commands.first().textContent()).toBe(
            `storefront archive --shop ${shop.handle} --out ${shop.handle}.tar.zst`,
          )
        }
        await context.close()
        expect(wrong).toEqual([])
      }
    })
  })
}
