// The files by which a process proves itself to NATS and checks it: certificates for TLS, and credentials (docs/spec/running.md#nats).
// They are read once here, so that a wrong one stops the start, and again at each connection, so that they can be renewed.
import { createSecureContext } from 'node:tls'
import { readSecretFile } from './secret-file.ts'

/** Paths; null where nothing is set. */
export type BusFiles = { ca: string | null; cert: string | null; key: string | null; creds: string | null }

const settingOf = {
  ca: 'NATS_CA_FILE',
  cert: 'NATS_CERT_FILE',
  key: 'NATS_KEY_FILE',
  creds: 'NATS_CREDS_FILE',
} as const

/**
 * Throws an Error of one line that names the setting, where a file cannot be read or is not what it should be, and where the settings
 * do not fit each other or NATS_URL.
 */
export function checkBusFiles(files: BusFiles, servers: readonly string[] | null): void {
  const { ca, cert, key, creds } = files
  const forTls = (['ca', 'cert', 'key'] as const).find((name) => files[name] !== null)
  if (forTls !== undefined && servers?.some((server) => server.startsWith('tls://')) !== true) {
    throw new Error(`${settingOf[forTls]} is set, but no server of NATS_URL begins with tls://.`)
  }
  if ((cert === null) !== (key === null)) {
    const [missing, given] = cert === null ? (['cert', 'key'] as const) : (['key', 'cert'] as const)
    throw new Error(`${settingOf[missing]} must be set as well: ${settingOf[given]} is half of a client certificate.`)
  }
  if (ca !== null) checkPem('ca', ca, (pem) => ({ ca: pem }))
  if (cert !== null && key !== null) {
    const certificate = checkPem('cert', cert, (pem) => ({ cert: pem }))
    checkPem('key', key, (pem) => ({ key: pem }))
    checkPem('key', key, (pem) => ({ cert: certificate, key: pem }), `which does not belong to ${settingOf.cert}`)
  }
  if (creds !== null) checkCreds(creds, servers)
}

// OpenSSL's own words would name neither the setting nor the file.
function checkPem(
  name: 'ca' | 'cert' | 'key',
  path: string,
  use: (pem: string) => Parameters<typeof createSecureContext>[0],
  problem = `which holds no ${name === 'key' ? 'private key' : 'certificate'} in PEM form`,
): string {
  const pem = readSecretFile(settingOf[name], path)
  try {
    createSecureContext(use(pem))
  } catch {
    throw new Error(`${settingOf[name]} names ${JSON.stringify(path)}, ${problem}.`)
  }
  if (name !== 'key' && !pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error(`${settingOf[name]} names ${JSON.stringify(path)}, ${problem}.`)
  }
  return pem
}

function checkCreds(path: string, servers: readonly string[] | null): void {
  if (servers?.some((server) => server.includes('@')) === true) {
    throw new Error(`NATS_CREDS_FILE is set, and NATS_URL holds a login; only one of them may be.`)
  }
  const text = readSecretFile(settingOf.creds, path)
  if (!/-----BEGIN NATS USER JWT-----[^]*-----BEGIN USER NKEY SEED-----/.test(text)) {
    throw new Error(`${settingOf.creds} names ${JSON.stringify(path)}, which holds no credentials of a NATS user.`)
  }
}
