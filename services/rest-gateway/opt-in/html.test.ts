// What holds for every opt-in page: no scripts, nothing from other origins, escaped names, labels (docs/spec/double-opt-in.md#pages).
import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { cardHeaders } from '#html/card-page'
import {
  checkMailbox,
  confirmed,
  confirmQuestion,
  failed,
  noSuchShop,
  notMeDone,
  notMeQuestion,
  notValid,
  signupForm,
} from './html.ts'

const rude = `<script>alert(1)</script>"'&`
const pages: [string, (shopName: string) => string][] = [
  ['confirmQuestion', (shop) => confirmQuestion(shop, '/opt-in/abc/not-me')],
  ['confirmed', confirmed],
  ['notValid', notValid],
  ['notMeQuestion', notMeQuestion],
  ['notMeDone', notMeDone],
  ['signupForm', (shop) => signupForm(shop)],
  ['signupForm, wrong', (shop) => signupForm(shop, { email: rude, name: rude, problem: 'That is no email.' })],
  ['checkMailbox', checkMailbox],
  ['noSuchShop', noSuchShop],
  ['failed', failed],
]

describe.each(pages)('%s', (_name, make) => {
  const page = make('Bloom')

  test('is a whole page with a language, a title, one heading and a view for phones', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(page.match(/<h1>/g)).toHaveLength(1)
    expect(page.match(/<main>/g)).toHaveLength(1)
    expect(page).toMatch(/<title>[^<]+<\/title>/)
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
  })

  test('works under its headers: no scripts, no style attributes, the one style by its hash', () => {
    expect(page).not.toMatch(/<script|javascript:|\son[a-z]+=|\sstyle=/i)
    const styles = [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map((match) => match[1] ?? '')
    expect(styles).toHaveLength(1)
    const hash = createHash('sha256')
      .update(styles[0] ?? '')
      .digest('base64')
    expect(cardHeaders['content-security-policy']).toContain(`style-src 'sha256-${hash}';`)
  })

  test('asks for nothing over the network', () => {
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//)
    expect(page).not.toMatch(/url\(|@import/)
  })

  test('shows a name as a name', () => {
    const body = make(rude).replace(/<style>[\s\S]*<\/style>/, '')
    expect(body).not.toContain('<script')
    expect(body).not.toContain(`"'&`)
  })

  test('has a label for every field, and forms post to the address they were opened at', () => {
    const fields = [...page.matchAll(/<input id="([a-z]+)"/g)].map((match) => match[1])
    for (const field of fields) expect(page).toContain(`<label for="${field}">`)
    for (const [form] of page.matchAll(/<form[^>]*>/g)) expect(form).toBe('<form method="post">')
  })
})

test('the question shows what is agreed to, word for word, and how to say no', () => {
  const page = confirmQuestion('Bloom', '/opt-in/abc/not-me')
  expect(page).toContain(
    '<blockquote>I agree that Bloom sends me news and offers by email. I can stop this at any time, with the link in every email.</blockquote>',
  )
  expect(page).toContain('<a href="/opt-in/abc/not-me">This was not me</a>')
})

test('a wrong email comes back with what was entered and the reason beside the field', () => {
  const page = signupForm('Bloom', { email: 'ada@', name: 'Ada', problem: 'That is no email.' })
  expect(page).toContain('<p class="problem" id="problem" role="alert">That is no email.</p>')
  expect(page).toMatch(/<input id="email"[^>]* value="ada@"[^>]* aria-invalid="true" aria-describedby="problem"/)
  expect(page).toMatch(/<input id="name"[^>]* value="Ada"/)
})

test('a page that belongs to no link names no shop', () => {
  expect(notValid()).not.toContain('<header>')
})

test('headers keep the page out of caches, indexes, frames and referrers, and allow no script', () => {
  expect(cardHeaders).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
  expect(cardHeaders['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  )
})
