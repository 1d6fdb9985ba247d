// The certificates by which a process proves itself to PostgreSQL and checks it: docs/spec/running.md#tls-to-postgresql. They become
// parameters of the URL, which pg reads again at each connection, so that renewed files are used.
import { checkTlsFiles, firstSetting, type TlsFiles } from './tls-files.ts'

const parameters = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const

/**
 * The URL by which pg connects with TLS and verifies the server; as it was where no file is given. Throws an Error of one line that names
 * the setting, where a file is not what it should be and where there is no URL.
 */
export function withDatabaseFiles(url: string | null, files: TlsFiles): string | null {
  const setting = firstSetting('DATABASE', files)
  if (setting === null) return url
  if (url === null) throw new Error(`${setting} is set, but DATABASE_URL is not.`)
  checkTlsFiles('DATABASE', files)
  const complete = new URL(url)
  complete.searchParams.set('sslmode', 'verify-full')
  for (const [name, parameter] of Object.entries(parameters) as [keyof TlsFiles, string][]) {
    const path = files[name]
    if (path !== null) complete.searchParams.set(parameter, path)
  }
  return complete.href
}
