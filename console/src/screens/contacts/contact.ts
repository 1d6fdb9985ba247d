// The contact as the back office answers it, and what several parts of the screen say of it.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { shortId } from '../../parts/copy.tsx'
import type { Tone } from '../../parts/status.tsx'
import { words } from '../../words/en.ts'

export type Contact = BackOfficeSchemas['Contact']

/** What a person calls it. */
export function nameOf({ name, email, phone, id }: Contact): string {
  return name ?? email ?? phone ?? shortId(id)
}

/** Whether the person has agreed to news. */
export function consentOf({ marketingConsentAt }: Contact): { tone: Tone; word: string } {
  return marketingConsentAt === null
    ? { tone: 'open', word: words.contacts.notConsented }
    : { tone: 'ok', word: words.contacts.consented }
}
