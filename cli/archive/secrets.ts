// The part of the signing secrets, encrypted under the passphrase of ARCHIVE_PASSPHRASE in the age format, which other programs open too.
// docs/spec/archives.md#secrets
import { refused, usageError } from '../failure.ts'

/** The passphrase. Throws where there is none. */
export function passphraseFor(action: string): string {
  const { ARCHIVE_PASSPHRASE: passphrase = '' } = process.env
  if (passphrase !== '') return passphrase
  throw usageError(`${action} needs the passphrase of the secrets in ARCHIVE_PASSPHRASE.`)
}

export async function encrypt(text: Buffer, passphrase: string): Promise<Buffer> {
  const { encryptWith } = await import('./age.ts')
  return encryptWith(passphrase, text)
}

/** The secrets of an archive in the clear; null where it has none. Throws where they do not open. */
export async function openSecrets({ secrets }: { secrets: Buffer | null }): Promise<Buffer | null> {
  return secrets === null ? null : decrypt(secrets, passphraseFor('This archive'))
}

async function decrypt(content: Buffer, passphrase: string): Promise<Buffer> {
  const { decryptWith } = await import('./age.ts')
  return decryptWith(passphrase, content).catch(() => {
    throw refused('The secrets of the archive do not open with the passphrase in ARCHIVE_PASSPHRASE.')
  })
}
