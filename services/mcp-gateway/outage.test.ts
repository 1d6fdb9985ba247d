// The endpoint while a service is down: a tool error without its cause, soon; other tools go on
// (docs/spec/mcp.md#tool-errors, docs/spec/mcp.md#internal-errors).
import { describe, expect, test } from '@jest/globals'
import { punctualMs } from '#testing/lateness'
import { forms } from '#testing/product/deployment-forms'
import { errorOf, toldBy } from '#testing/product/mcp'
import { openStack } from '#testing/product/stack'

const wrong =
  /^server_error: Something went wrong on our side\. Try again; if it stays, tell us the request id [\w-]+\. The arguments were not the reason; repeat the same call after a few seconds\.$/

describe.each(forms.filter((form) => form === 'distributed'))('outages, %s', (form) => {
  test('without the orders service its tools fail within the time of a call; the others go on', async () => {
    const stack = await openStack({ form })
    try {
      const { secret: key } = await stack.makeKey((await stack.makeShop()).id)
      expect(toldBy(await stack.mcp.tool('list_orders', {}, { key })).isError).toBe(false)
      await stack.running('orders')[0]?.stop()
      for (let index = 0; index < 30; index += 1) {
        const asked = async () => {
          const answer = await stack.mcp.tool('list_orders', {}, { key })
          expect(answer.status).toBe(200)
          expect(toldBy(answer)).toEqual({ text: expect.stringMatching(wrong), isError: true, structured: undefined })
        }
        expect(await punctualMs(asked)).toBeLessThan(5_500)
      }
      expect(toldBy(await stack.mcp.tool('list_contacts', {}, { key })).isError).toBe(false)
      expect((await stack.mcp.call('tools/list', {}, { key })).status).toBe(200)
    } finally {
      await stack.stop()
    }
  })

  test('without auth keyed methods fail without a cause; methods without a key are answered', async () => {
    const stack = await openStack({ form })
    try {
      const { secret: key } = await stack.makeKey((await stack.makeShop()).id)
      await stack.running('auth')[0]?.stop()
      const answer = await stack.mcp.call('tools/list', {}, { key })
      expect(answer.status).toBe(503)
      expect(answer.headers).toMatchObject({ 'retry-after': expect.stringMatching(/^\d+$/) })
      expect(errorOf(answer)).toEqual({
        code: -32603,
        message: expect.stringMatching(/^Something went wrong on our side\./),
        data: { code: 'server_error' },
      })
      expect((await stack.mcp.call('server/discover', {}, { key })).status).toBe(200)
    } finally {
      await stack.stop()
    }
  })
})
