// Reads SMTP_URL: the server, the login and the address in the From line. docs/spec/running.md#mail
// `smtps://` uses TLS from the start; `smtp://` uses STARTTLS when the server offers it and requires it for a login. The
// query may hold only `from=`, because a mail server usually sends for its own domain only.
import { isIP, isIPv4 } from 'node:net'

export type MailServer = {
  host: string
  port: number | undefined
  secure: boolean
  requireTLS: boolean
  auth: { user: string; pass: string } | undefined
}

/** The server of an SMTP_URL. Throws one line that never shows the URL, since it may hold a password. */
export function readSmtpUrl(smtpUrl: string): MailServer {
  const url = new URL(smtpUrl)
  const unknown = [...url.searchParams.keys()].find((key) => key !== 'from')
  if (unknown !== undefined) throw new Error(`SMTP_URL must not hold ?${unknown}=, only ?from= is known.`)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const hasLogin = url.username !== '' || url.password !== ''
  return {
    host,
    port: url.port === '' ? undefined : Number(url.port),
    secure: url.protocol === 'smtps:',
    requireTLS: hasLogin && !isLoopback(host),
    auth: hasLogin ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } : undefined,
  }
}

/** The sender's address: `from` of SMTP_URL, else no-reply at the host of PUBLIC_URL. Throws one line when `from` is not one plain address. */
export function senderOf(smtpUrl: string | null, publicUrl: string): string {
  const given = smtpUrl === null ? null : new URL(smtpUrl).searchParams.get('from')
  if (given !== null) {
    if (!/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(given)) throw new Error('SMTP_URL must hold one plain address in ?from=.')
    return given
  }
  const host = new URL(publicUrl).hostname
  return `no-reply@${isIP(host) !== 0 || host.startsWith('[') ? 'localhost' : host}`
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}
