// Which failures of a hand-over delay all messages, and which count against one: docs/spec/outboxes.md#refused-messages
import { expect, test } from '@jest/globals'
import { Errors } from 'moleculer'
import { refuse } from '#contracts/errors'
import { isOutage } from './outage.ts'

test.each([
  ['a refusal', refuse('invalid_request', 'No.'), false],
  ['a refusal as unavailable', refuse('unavailable', 'Away.'), true],
  ['a bug of the receiver', new TypeError('x is not a function'), false],
  ['no answer in time', new Errors.RequestTimeoutError({ action: 'a', nodeID: 'n' }), true],
  ['nobody who answers', new Errors.ServiceNotFoundError({ action: 'a' }), true],
  ['a value that breaks a constraint', Object.assign(new Error('check'), { code: '23514' }), false],
  ['a database that starts', Object.assign(new Error('starting up'), { code: '57P03' }), true],
  ['a standby', Object.assign(new Error('read-only'), { code: '25006' }), true],
  ['a full disk', Object.assign(new Error('no space'), { code: '53100' }), true],
  ['a database without a listener', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), true],
  ['a connection that was cut', new Error('Connection terminated unexpectedly'), true],
])('%s is an outage of the receiver or the fault of one message', (_what, error, outage) => {
  expect(isOutage(error)).toBe(outage)
})
