// Owns the words that a person agrees to, and their version: the mail, the pages and the consent record say the same.
// Contract: states-and-events.md 11.3 (the record names the text version). Other words are another version, always.

export const CONSENT_TEXT_VERSION = 'en-1'

/** What the person agrees to, as one sentence. */
export function consentText(shopName: string): string {
  return `I agree that ${shopName} sends me news and offers by email. I can stop this at any time, with the link in every email.`
}
