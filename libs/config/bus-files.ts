// The files by which a process proves itself to NATS and checks it: certificates for TLS, and credentials (docs/spec/running.md#nats).
// They are read once here, so that a wrong one stops the start, and again at each connection, so that they can be renewed.
import { readSecretFile } from './secret-file.ts'
import { checkTlsFiles, firstSetting, type TlsFiles } from './tls-files.ts'

/** Paths; null where nothing is set. */
export type BusFiles = TlsFiles & { creds: string | null }

/**
 * Throws an Error of one line that names the setting, where a file cannot be read or is not what it should be, and where the settings
 * do not fit each other or NATS_URL.
 */
export function checkBusFiles(files: BusFiles, servers: readonly string[] | null): void {
  const forTls = firstSetting('NATS', files)
  if (forTls !== null && servers?.some((server) => server.startsWith('tls://')) !== true) {
    throw new Error(`${forTls} is set, but no server of NATS_URL begins with tls://.`)
  }
  checkTlsFiles('NATS', files)
  if (files.creds !== null) checkCreds(files.creds, servers)
}

function checkCreds(path: string, servers: readonly string[] | null): void {
  if (servers?.some((server) => server.includes('@')) === true) {
    throw new Error(`NATS_CREDS_FILE is set, and NATS_URL holds a login; only one of them may be.`)
  }
  const text = readSecretFile('NATS_CREDS_FILE', path)
  if (!/-----BEGIN NATS USER JWT-----[^]*-----BEGIN USER NKEY SEED-----/.test(text)) {
    throw new Error(`NATS_CREDS_FILE names ${JSON.stringify(path)}, which holds no credentials of a NATS user.`)
  }
}
