// Whether an imported contact has a marketing consent: only with its evidence. docs/spec/imports.md#consents-of-a-file
import type { ConsentFields } from '#contracts/input/exported'
import { emailKey, normaliseEmail } from '#person/person'
import type { Warning } from '#postgres/import/import-objects'
import type { ConsentRow } from '../tables.ts'

export type ConsentRecord = Omit<ConsentRow, 'shop_id' | 'id' | 'contact_id'>
type Stored = { email_key: string | null; marketing_consent_at: Date | null; records: readonly ConsentRecord[] }
/** `at` undefined: the file says nothing about the consent. */
type OfFile = { email_key: string | null; at: Date | null | undefined; records: readonly ConsentFields[] }
export type ConsentPlan = { at: Date | null; added: ConsentRecord[]; warning: Warning | null }

/**
 * The consent of the contact afterwards, and the records to add. A consent of the file counts where a record shows that the person gave
 * it at that instant for the address of the contact, no later record withdraws it, and its mailbox is not suppressed in this shop.
 */
export function planConsent(stored: Stored, file: OfFile, isSuppressed: boolean, now: Date): ConsentPlan {
  const brought = file.records.map(toRecord)
  const added = missingRecords(stored.records, brought)
  const all = [...stored.records, ...added]
  const isSameAddress = stored.email_key === file.email_key
  const kept = isSameAddress ? stored.marketing_consent_at : null
  const wanted = file.at === undefined ? kept : file.at
  const isKept = wanted?.getTime() === kept?.getTime()
  const refusal = wanted === null || isKept ? null : refusalOf(wanted, file.email_key, all, isSuppressed)
  const at = refusal === null ? wanted : kept
  const isWithdrawn =
    stored.marketing_consent_at !== null && at === null && !isWithdrawnAfter(stored.marketing_consent_at, all)
  const withdrawal = { ...noEvidence, kind: 'withdrawn' as const, email: stored.email_key, at: now, source: 'import' }
  return { at, added: isWithdrawn ? [...added, withdrawal] : added, warning: refusal }
}

const noEvidence = { address: null, agent: null, text_version: null }

function refusalOf(at: Date, email_key: string | null, all: ConsentRecord[], isSuppressed: boolean): Warning | null {
  if (isSuppressed)
    return { code: 'suppressed', message: 'The person stopped all mails of this shop; the consent is left out.' }
  const isGiven = all.some(
    (record) => record.kind === 'given' && record.at.getTime() === at.getTime() && keyOf(record.email) === email_key,
  )
  if (!isGiven) {
    return {
      code: 'no_evidence',
      message: 'No consent record of the file shows marketingConsentAt; the consent is left out.',
    }
  }
  if (!isWithdrawnAfter(at, all)) return null
  return { code: 'consent_withdrawn', message: 'The person withdrew this consent later; it is left out.' }
}

function isWithdrawnAfter(at: Date, all: readonly ConsentRecord[]): boolean {
  return all.some((record) => record.kind === 'withdrawn' && record.at >= at)
}

function toRecord({ kind, at, email, address, agent, textVersion, source }: ConsentFields): ConsentRecord {
  return {
    kind,
    at,
    email: email ?? null,
    address: address ?? null,
    agent: agent ?? null,
    text_version: textVersion ?? null,
    source,
  }
}

/** The records of the file that are not stored; equal ones count. */
function missingRecords(stored: readonly ConsentRecord[], brought: ConsentRecord[]): ConsentRecord[] {
  const left = new Map<string, number>()
  for (const record of stored) left.set(nameOf(record), (left.get(nameOf(record)) ?? 0) + 1)
  return brought.filter((record) => {
    const count = left.get(nameOf(record)) ?? 0
    left.set(nameOf(record), count - 1)
    return count <= 0
  })
}

function nameOf({ kind, at, email, address, agent, text_version, source }: ConsentRecord): string {
  return JSON.stringify([kind, at, email, address, agent, text_version, source])
}

function keyOf(email: string | null): string | null {
  const normal = email === null ? null : normaliseEmail(email)
  return normal === null ? null : emailKey(normal)
}
