// Encryption in the age format under a passphrase. Loaded only by commands that need it: the others start without it.
import { Decrypter, Encrypter } from 'age-encryption'

export async function encryptWith(passphrase: string, text: Buffer): Promise<Buffer> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  return Buffer.from(await encrypter.encrypt(text))
}

/** Throws where the passphrase is another one. */
export async function decryptWith(passphrase: string, content: Buffer): Promise<Buffer> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  return Buffer.from(await decrypter.decrypt(content))
}
