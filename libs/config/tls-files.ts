// The certificates by which a process and a server prove themselves to each other, for NATS and for PostgreSQL. They are read once here, so
// that a wrong file stops the start in one line that names the setting.
import { createSecureContext } from 'node:tls'
import { readSecretFile } from './secret-file.ts'

/** Paths; null where nothing is set. */
export type TlsFiles = { ca: string | null; cert: string | null; key: string | null }
type Server = 'NATS' | 'DATABASE'
type Name = keyof TlsFiles

/** The setting of the first file that is given; null where none is. */
export function firstSetting(server: Server, files: TlsFiles): string | null {
  const first = (['ca', 'cert', 'key'] as const).find((name) => files[name] !== null)
  return first === undefined ? null : settingOf(server, first)
}

/**
 * Throws an Error of one line that names the setting, where a file cannot be read or is not what it should be, and where a certificate and
 * its key are not both given or do not belong together.
 */
export function checkTlsFiles(server: Server, { ca, cert, key }: TlsFiles): void {
  if ((cert === null) !== (key === null)) {
    const [missing, given] = cert === null ? (['cert', 'key'] as const) : (['key', 'cert'] as const)
    const half = `${settingOf(server, given)} is half of a client certificate`
    throw new Error(`${settingOf(server, missing)} must be set as well: ${half}.`)
  }
  if (ca !== null) checkPem(server, 'ca', ca, (pem) => ({ ca: pem }))
  if (cert !== null && key !== null) {
    const certificate = checkPem(server, 'cert', cert, (pem) => ({ cert: pem }))
    checkPem(server, 'key', key, (pem) => ({ key: pem }))
    const problem = `which does not belong to ${settingOf(server, 'cert')}`
    checkPem(server, 'key', key, (pem) => ({ cert: certificate, key: pem }), problem)
  }
}

// OpenSSL's own words would name neither the setting nor the file.
function checkPem(
  server: Server,
  name: Name,
  path: string,
  use: (pem: string) => Parameters<typeof createSecureContext>[0],
  problem = `which holds no ${name === 'key' ? 'private key' : 'certificate'} in PEM form`,
): string {
  const setting = settingOf(server, name)
  const pem = readSecretFile(setting, path)
  try {
    createSecureContext(use(pem))
  } catch {
    throw new Error(`${setting} names ${JSON.stringify(path)}, ${problem}.`)
  }
  if (name !== 'key' && !pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error(`${setting} names ${JSON.stringify(path)}, ${problem}.`)
  }
  return pem
}

function settingOf(server: Server, name: Name): string {
  return `${server}_${name.toUpperCase()}_FILE`
}
