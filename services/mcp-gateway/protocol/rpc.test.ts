// JSON-RPC on the wire (docs/spec/mcp.md#json-rpc-errors).
import { describe, expect, test } from '@jest/globals'
import { faultOf, parseMessage, resultBody } from './rpc.ts'

function refusal(body: string | Buffer): { code: number; status: number; id: unknown; message: string } {
  try {
    parseMessage(Buffer.from(body))
  } catch (error) {
    const { code = 0, status = 0, id = null } = faultOf(error) ?? {}
    return { code, status, id, message: error instanceof Error ? error.message : '' }
  }
  throw new Error(`${body.toString()} was accepted.`)
}

describe('a message', () => {
  test.each([
    ['nothing', ''],
    ['half of an object', '{"jsonrpc":"2.0"'],
    ['a word', 'hello'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['a byte order mark', '\uFEFF{}'],
  ])('that is %s is -32700', (_what, body) => {
    expect(refusal(body)).toMatchObject({ code: -32700, status: 400, id: null })
  })

  test.each([
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"m"}]', null],
    ['an empty batch', '[]', null],
    ['a number', '1', null],
    ['null', 'null', null],
    ['text', '"tools/list"', null],
    ['of another version', '{"jsonrpc":"1.0","id":1,"method":"m"}', 1],
    ['of no version', '{"id":"x","method":"m"}', 'x'],
    ['without a method', '{"jsonrpc":"2.0","id":1}', 1],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}', 1],
    ['an error response', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}', 1],
    ['with a method that is not text', '{"jsonrpc":"2.0","id":1,"method":1}', 1],
    ['with an id of null', '{"jsonrpc":"2.0","id":null,"method":"m"}', null],
    ['with an id of null, though a notification', '{"jsonrpc":"2.0","id":null,"method":"notifications/x"}', null],
    ['with an id that is a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"m"}', null],
    ['with an id that is no exact number', '{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}', null],
    ['with an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"m"}', null],
    ['with an id that is true', '{"jsonrpc":"2.0","id":true,"method":"m"}', null],
    ['with params of null', '{"jsonrpc":"2.0","id":1,"method":"m","params":null}', 1],
    ['with params that are a number', '{"jsonrpc":"2.0","id":1,"method":"m","params":1}', 1],
    ['with a field twice', '{"jsonrpc":"2.0","id":1,"method":"m","method":"n"}', null],
    ['with a field that changes prototypes', '{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{}}}', null],
    ['too deep', `{"jsonrpc":"2.0","id":1,"method":"m","params":${'[1,'.repeat(40)}1${']'.repeat(40)}}`, null],
    ['a very deep batch', '['.repeat(30_000) + ']'.repeat(30_000), null],
  ])('that is %s is -32600, with the id where it can be read', (_what, body, id) => {
    expect(refusal(body)).toMatchObject({ code: -32600, status: 400, id })
  })
})

describe('an answer', () => {
  test('holds finished bytes unchanged', () => {
    const pasted = Buffer.from('{ "a" : 1.50 }')
    expect(resultBody('x', ['"structuredContent":', pasted, ',"isError":false']).toString()).toBe(
      '{"jsonrpc":"2.0","id":"x","result":{"structuredContent":{ "a" : 1.50 },"isError":false}}',
    )
  })
})
