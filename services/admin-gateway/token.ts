// Owns the back office's one credential: `Authorization: Bearer <ADMIN_TOKEN>`.
// Back office: "compared in constant time". Digests have one length, so neither the length nor a shared beginning tells.
import { createHash, timingSafeEqual } from 'node:crypto'
import { refuse } from '#contracts/errors'

/** Gives the check of an Authorization header, which refuses `unauthorized`. */
export function tokenCheck(adminToken: string): (authorization: string | undefined) => void {
  const expected = digest(adminToken)
  return (authorization) => {
    const given = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''
    if (!timingSafeEqual(digest(given), expected)) {
      throw refuse('unauthorized', 'Send the back-office token: Authorization: Bearer <ADMIN_TOKEN>.')
    }
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
