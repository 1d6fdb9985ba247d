// The protocol version of a request, and the agreement of its headers with its body (docs/spec/mcp.md#era-selection,
// docs/spec/mcp.md#modern-headers).
import { describe, expect, test } from '@jest/globals'
import { checkHeaders, protocolVersionOf } from './protocol-version.ts'
import { faultOf, type RpcParams } from './rpc.ts'

const NEW = '2026-07-28'
const OLD = '2025-11-25'
const OLDER = '2025-06-18'
const legacy = (version: string) => ({ version, isModern: false })
const modern = { version: NEW, isModern: true }
const supported = [NEW, OLD, OLDER]

const named = (version: unknown): RpcParams => ({ _meta: { 'io.modelcontextprotocol/protocolVersion': version } })
const request = (method: string, params: RpcParams | null = {}) => ({ id: 1, method, params })
const header = (version: string) => ({ 'mcp-protocol-version': version })
const wrapped = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

function faultWhen(work: () => unknown) {
  try {
    work()
  } catch (error) {
    return faultOf(error)
  }
  return null
}

describe('the protocol version of a request', () => {
  test.each([
    ['_meta names the modern version', request('tools/list', named(NEW)), {}, modern],
    ['_meta names a legacy version: no header is asked for', request('tools/list', named(OLD)), {}, legacy(OLD)],
    ['_meta wins over the header', request('tools/list', named(OLDER)), header(NEW), legacy(OLDER)],
    ['_meta wins over the method', request('initialize', named(NEW)), {}, modern],
    ['initialize is legacy', request('initialize', { protocolVersion: OLD }), {}, legacy(OLD)],
    ['initialize under a modern header', request('initialize', { protocolVersion: OLDER }), header(NEW), legacy(OLDER)],
    ['initialize under an unknown header', request('initialize', { protocolVersion: OLD }), header('1'), legacy(OLD)],
    ['initialize with the modern version', request('initialize', { protocolVersion: NEW }), {}, legacy(NEW)],
    ['the header names a legacy version', request('tools/list'), header(OLD), legacy(OLD)],
    ['the header names the older one', request('tools/list'), header(OLDER), legacy(OLDER)],
    ['the header is wrapped', request('tools/list'), header(wrapped(OLD)), legacy(OLD)],
    ['the header names the modern version', request('tools/list'), header(NEW), modern],
    ['nothing names a version', request('tools/list'), {}, modern],
    ['_meta is no object', request('tools/list', { _meta: OLD }), {}, modern],
    ['the version is not text', request('tools/list', named(5)), {}, modern],
    ['params are a list', request('tools/list', null), {}, modern],
    ['the header cannot be decoded', request('tools/list'), header('=?base64?%?='), modern],
  ])('%s', (_when, message, headers, expected) => {
    expect(protocolVersionOf(message, headers)).toEqual(expected)
  })

  test.each([
    ['_meta', request('server/discover', named('2027-01-01')), {}, '2027-01-01'],
    ['_meta and header alike', request('tools/list', named('1')), header('1'), '1'],
    ['_meta, also of initialize', request('initialize', named('2024-11-05')), {}, '2024-11-05'],
    ['initialize', request('initialize', { protocolVersion: '2024-11-05' }), {}, '2024-11-05'],
    ['the header alone', request('tools/list'), header('2025-03-26'), '2025-03-26'],
  ])('a version that is not served, in %s, is -32022 with the served ones', (_where, message, headers, requested) => {
    expect(faultWhen(() => protocolVersionOf(message, headers))).toEqual({
      code: -32022,
      status: 400,
      id: null,
      data: { supported, requested },
    })
  })
})

describe('the headers of a modern request', () => {
  const call = request('tools/call', { ...named(NEW), name: 'get_shop' })
  const good = { 'mcp-protocol-version': NEW, 'mcp-method': 'tools/call', 'mcp-name': 'get_shop' }

  test.each([
    ['agree', call, good],
    [
      'are wrapped',
      call,
      { 'mcp-protocol-version': wrapped(NEW), 'mcp-method': wrapped('tools/call'), 'mcp-name': wrapped('get_shop') },
    ],
    [
      'are wrapped UTF-8',
      request('tools/call', { ...named(NEW), name: 'größe' }),
      { ...good, 'mcp-name': wrapped('größe') },
    ],
    [
      'need no name where the method has none',
      request('tools/list', named(NEW)),
      { ...good, 'mcp-method': 'tools/list', 'mcp-name': 'x' },
    ],
    [
      'have no name where the body has none: the method says so',
      request('tools/call', named(NEW)),
      { ...good, 'mcp-name': undefined },
    ],
    [
      'name a uri',
      request('resources/read', { ...named(NEW), uri: 'a:b' }),
      { ...good, 'mcp-method': 'resources/read', 'mcp-name': 'a:b' },
    ],
  ])('%s', (_how, message, headers) => {
    expect(faultWhen(() => checkHeaders(message, headers))).toBeNull()
  })

  test.each([
    ['no version header', call, { ...good, 'mcp-protocol-version': undefined }],
    ['another version', call, { ...good, 'mcp-protocol-version': OLD }],
    ['no method header', call, { ...good, 'mcp-method': undefined }],
    ['another method', call, { ...good, 'mcp-method': 'tools/list' }],
    ['a method in another case', call, { ...good, 'mcp-method': 'Tools/Call' }],
    ['no name header', call, { ...good, 'mcp-name': undefined }],
    ['another name', call, { ...good, 'mcp-name': 'get_order' }],
    ['a name that the body lacks', request('tools/call', named(NEW)), good],
    ['a header twice', call, { ...good, 'mcp-name': 'get_shop, get_shop' }],
    ['bad Base64', call, { ...good, 'mcp-name': '=?base64?Z2V0?X3Nob3A?=' }],
    ['Base64 without its padding', call, { ...good, 'mcp-method': '=?base64?dG9vbHMvY2FsbA?=' }],
    ['Base64 of what is no UTF-8', call, { ...good, 'mcp-name': '=?base64?/w==?=' }],
    ['markers in another case', call, { ...good, 'mcp-name': wrapped('get_shop').replace('base64', 'BASE64') }],
    ['no version in the body', request('tools/call', { name: 'get_shop' }), good],
    ['no version anywhere', request('tools/call', { name: 'get_shop' }), {}],
    [
      'no name for prompts/get',
      request('prompts/get', { ...named(NEW), name: 'p' }),
      { ...good, 'mcp-method': 'prompts/get', 'mcp-name': undefined },
    ],
    [
      'no uri for resources/read',
      request('resources/read', { ...named(NEW), uri: 'a:b' }),
      { ...good, 'mcp-method': 'resources/read', 'mcp-name': undefined },
    ],
  ])('that have %s are -32020', (_what, message, headers) => {
    expect(faultWhen(() => checkHeaders(message, headers))).toEqual({ code: -32020, status: 400, id: null })
  })
})
