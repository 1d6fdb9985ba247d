// Which back office a command talks to, and with which token; `login` and `logout`. docs/spec/command-line.md
// The address is --url, else the local one where ADMIN_TOKEN is set, else that of the last login, else the local one. The token is
// ADMIN_TOKEN, else that of the login at this address, else, for an address of this machine, that of the data folder.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { readConfig } from '#config/config'
import { findSecret } from '#config/generated-secrets'
import { type BackOffice, openBackOffice } from './back-office.ts'
import { refused, usageError } from '../failure.ts'

/** `current` is the address of the last login. */
type Logins = { current: string | null; tokens: Record<string, string> }

/** The back office at `--url`, or the default one. Throws where there is no token for it. */
export function findBackOffice(given: string | undefined): BackOffice {
  const { adminToken, adminPort, dataDir } = configured()
  const local = `http://127.0.0.1:${adminPort}`
  const { current, tokens } = readLogins()
  const url = given === undefined ? ((adminToken === null ? current : null) ?? local) : addressIn(given)
  const token = adminToken ?? tokens[url] ?? (isOnThisMachine(url) ? findSecret(dataDir, 'ADMIN_TOKEN') : null)
  if (token !== null) return openBackOffice(url, token)
  throw refused(
    `There is no token for ${url}. Log in (storefront login --url ${url}), set ADMIN_TOKEN, or start the product here: its token is kept in ${dataDir}.`,
  )
}

/** Reads a token from the terminal or stdin and stores it once the back office has accepted it. Returns the address. */
export async function login(given: string | undefined): Promise<string> {
  const url = given === undefined ? `http://127.0.0.1:${configured().adminPort}` : addressIn(given)
  const token = (await readToken(url)).trim()
  if (token === '') throw usageError('login needs a token: type it, or send it to stdin.')
  await openBackOffice(url, token).call('GET', '/shops?limit=1')
  const { tokens } = readLogins()
  saveLogins({ current: url, tokens: { ...tokens, [url]: token } })
  return url
}

/** Removes the login at the address, or the last one. Returns the address. */
export function logout(given: string | undefined): string {
  const { current, tokens } = readLogins()
  const url = given === undefined ? current : addressIn(given)
  if (url === null || tokens[url] === undefined) throw refused(`There is no login${url === null ? '' : ` at ${url}`}.`)
  const { [url]: _forgotten, ...left } = tokens
  saveLogins({ current: current === url ? null : current, tokens: left })
  return url
}

function configured() {
  try {
    return readConfig(process.env, 'embedded')
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error))
  }
}

// Taken as people copy it: with a closing slash, or with the path that the start prints.
function addressIn(given: string): string {
  const url = URL.parse(given)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    const meant = URL.canParse(`http://${given}`) ? `, for example http://${given}` : ''
    throw usageError(`--url is ${given}, but must begin with http:// or https://${meant}.`)
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw usageError('--url takes scheme, host and port, for example http://127.0.0.1:3100.')
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/admin\/v1$/, '')
}

function isOnThisMachine(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
}

function readToken(url: string): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin)
  process.stderr.write(`Token for ${url}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const line = createInterface({ input: process.stdin, output: silent, terminal: true })
  return line.question('').finally(() => {
    line.close()
    process.stderr.write('\n')
  })
}

function fileOfLogins(): string {
  return join(homedir(), '.config', 'storefront', 'login.json')
}

function readLogins(): Logins {
  try {
    return JSON.parse(readFileSync(fileOfLogins(), 'utf8')) as Logins
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: null, tokens: {} }
    throw refused(`The file ${fileOfLogins()} cannot be read. Correct or remove it.`)
  }
}

function saveLogins(logins: Logins): void {
  const file = fileOfLogins()
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
