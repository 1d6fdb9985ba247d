// The text of the opt-in mail. docs/spec/double-opt-in.md#mail, docs/spec/double-opt-in.md#consent-record
import { expect, test } from '@jest/globals'
import { CONSENT_TEXT_VERSION, consentText } from '#contracts/objects/contact'
import { optInLetter } from './mail.ts'

const token = 'A'.repeat(43)
const facts = { email: 'ada@example.com', shopName: 'Bloom', publicUrl: 'https://shop.example.com', token }

test('the plain text has the consent, the link and the way to refuse', () => {
  const letter = optInLetter(facts)
  expect({ to: letter.to, fromName: letter.fromName, subject: letter.subject }).toEqual({
    to: 'ada@example.com',
    fromName: 'Bloom',
    subject: 'Please confirm: news from Bloom',
  })
  expect(letter.text).toBe(`Someone, we hope it was you, asked for news from Bloom to this mailbox. Please confirm.

What you agree to:
"I agree that Bloom sends me news and offers by email. I can stop this at any time, with the link in every email."

To confirm, open this page and press the button there:
https://shop.example.com/opt-in/${token}

The link works for 72 hours. Unless you confirm, no news will come.

This was not you, or you changed your mind? Tell us, and no more news will come:
https://shop.example.com/opt-in/${token}/not-me
`)
})

test('both forms have both links, and unsubscribing is the same as "this was not me"', () => {
  const letter = optInLetter(facts)
  for (const body of [letter.text, letter.html]) {
    expect(body).toContain(`https://shop.example.com/opt-in/${token}`)
    expect(body).toContain(`https://shop.example.com/opt-in/${token}/not-me`)
    expect(body).toContain(consentText('Bloom'))
  }
  expect(letter.unsubscribeUrl).toBe(`https://shop.example.com/opt-in/${token}/not-me`)
})

test('a name with markup or line breaks stays a name', () => {
  const letter = optInLetter({ ...facts, shopName: 'A<b>&"\r\n\r\nVisit https://evil.example\u2028now' })
  expect(letter.html).toContain('A&lt;b&gt;&amp;&quot; Visit https://evil.example now')
  expect(letter.html).not.toContain('<b>')
  expect(letter.fromName).toBe('A<b>&" Visit https://evil.example now')
  expect(letter.text).not.toMatch(/^Visit/m)
})

test('the text of the consent belongs to its version', () => {
  expect([CONSENT_TEXT_VERSION, consentText('Bloom')]).toEqual([
    'en-1',
    'I agree that Bloom sends me news and offers by email. I can stop this at any time, with the link in every email.',
  ])
})
