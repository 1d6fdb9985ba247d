// How SMTP_URL is read, and that the error of a wrong one does not show it. docs/spec/running.md#mail
import { describe, expect, test } from '@jest/globals'
import { readSmtpUrl, senderOf } from './smtp-url.ts'

describe('the server', () => {
  test.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: undefined, secure: false, requireTLS: false }],
    ['smtps://mail.example.com', { host: 'mail.example.com', port: undefined, secure: true, requireTLS: false }],
    ['smtp://127.0.0.1:1025', { host: '127.0.0.1', port: 1025, secure: false, requireTLS: false }],
    ['smtp://[::1]:1025', { host: '::1', port: 1025, secure: false, requireTLS: false }],
  ])('%s', (url, server) => {
    expect(readSmtpUrl(url)).toEqual({ ...server, auth: undefined })
  })

  test('a password never travels in the clear, except to this very machine', () => {
    expect(readSmtpUrl('smtp://shop%40example.com:p%20w@mail.example.com:587')).toEqual({
      host: 'mail.example.com',
      port: 587,
      secure: false,
      requireTLS: true,
      auth: { user: 'shop@example.com', pass: 'p w' },
    })
    expect(readSmtpUrl('smtp://a:b@localhost:587').requireTLS).toBe(false)
    expect(readSmtpUrl('smtp://a:b@127.example.com').requireTLS).toBe(true)
  })

  test('an unknown option is named, the URL is not shown', () => {
    const read = () => readSmtpUrl('smtp://a:hunter2@mail.example.com?logger=true')
    expect(read).toThrow('SMTP_URL must not hold ?logger=, only ?from= is known.')
  })
})

describe('the sender', () => {
  test.each([
    [null, 'https://shop.example.com', 'no-reply@shop.example.com'],
    [null, 'http://127.0.0.1:3000', 'no-reply@localhost'],
    [null, 'http://[::1]:3000', 'no-reply@localhost'],
    ['smtp://mail.example.com', 'https://shop.example.com', 'no-reply@shop.example.com'],
    ['smtp://mail.example.com?from=hello%40example.com', 'https://shop.example.com', 'hello@example.com'],
  ])('%s and %s: %s', (smtpUrl, publicUrl, sender) => {
    expect(senderOf(smtpUrl, publicUrl)).toBe(sender)
  })

  test('is one plain address', () => {
    expect(() => senderOf('smtp://mail.example.com?from=a%40b.c%0d%0aBcc:x', 'https://shop.example.com')).toThrow(
      'SMTP_URL must hold one plain address in ?from=.',
    )
  })
})
