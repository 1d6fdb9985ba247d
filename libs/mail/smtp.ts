// Sends one message to the mail server within its time limit, behind a circuit breaker. docs/spec/double-opt-in.md#mail
// A server that refuses a message is up, so the breaker counts only missing answers: one bad mailbox never stops the mail of
// the others.
import { createTransport, type SendMailOptions } from 'nodemailer'
import CircuitBreaker from 'opossum'
import { limits } from '#contracts/limits'
import { readSmtpUrl } from './smtp-url.ts'

/**
 * Why a mail is not known to be sent. `rejected`: the server refused this message. `unknown`: the connection broke or the
 * answer took too long, so the server may have the message nevertheless. In all other cases it has not. The server's own words
 * are left out, because they quote addresses.
 */
export type MailRefusal = 'rejected' | 'unknown' | 'unreachable' | 'login' | 'tls' | 'busy' | 'disk' | 'closed'

export type SmtpOptions = {
  smtpUrl: string
  /** For one mail, waiting for a free connection included. */
  timeoutMs: number
  /** How long the breaker stays open before it lets one mail through. */
  breakerOpenMs: number
  /** Called with each state of the breaker: 0 closed, 0.5 half open, 1 open. */
  onBreaker(state: 0 | 0.5 | 1): void
}

/** A mail server behind a breaker. `send` never throws. Throws one line when SMTP_URL is invalid. */
export function openSmtp({ smtpUrl, timeoutMs, breakerOpenMs, onBreaker }: SmtpOptions) {
  const transport = openTransport(smtpUrl, timeoutMs)
  const breaker = new CircuitBreaker(deliver, {
    name: 'smtp',
    timeout: false, // The mail's own time limit also ends the connection that hangs.
    errorThresholdPercentage: 50,
    volumeThreshold: 4,
    rollingCountTimeout: 60_000,
    rollingCountBuckets: 6,
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
    resetTimeout: breakerOpenMs,
  })
  onBreaker(0)
  breaker.on('open', () => onBreaker(1))
  breaker.on('halfOpen', () => onBreaker(0.5))
  breaker.on('close', () => onBreaker(0))

  async function deliver(mail: SendMailOptions): Promise<'sent' | 'rejected'> {
    try {
      await transport.sendMail({ ...mail, signal: AbortSignal.timeout(timeoutMs) })
      return 'sent'
    } catch (error) {
      const refused = refusalOf(error)
      if (refused === 'rejected') return refused
      throw new Error('The mail server is away.', { cause: refused })
    }
  }

  return {
    async send(mail: SendMailOptions): Promise<'sent' | MailRefusal> {
      try {
        return await breaker.fire(mail)
      } catch (error) {
        const away = error as Error
        return CircuitBreaker.isOurError(away) ? 'unreachable' : (away.cause as MailRefusal)
      }
    },
    close(): void {
      breaker.shutdown()
      transport.close()
    },
  }
}

function openTransport(smtpUrl: string, timeoutMs: number) {
  return createTransport({
    ...readSmtpUrl(smtpUrl),
    pool: true,
    maxConnections: limits.mailConnections,
    maxRequeues: 1, // For a connection that the server closed while idle: nothing was sent over it.
    idleTimeout: 30_000,
    // Half of the time for connecting, so that a server that is away differs from one that breaks the connection off.
    connectionTimeout: timeoutMs / 2,
    greetingTimeout: timeoutMs / 2,
    dnsTimeout: timeoutMs / 2,
    socketTimeout: timeoutMs,
    tls: { minVersion: 'TLSv1.2' },
    logger: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

const notReached = new Set<unknown>(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EDNS'])
const whileConnecting = new Set<unknown>(['CONNECT_TIMEOUT', 'GREETING_TIMEOUT'])

function refusalOf(error: unknown): MailRefusal {
  const { code, originalCode, timeoutType, responseCode } = error as Record<string, unknown>
  // 421: the server closes the connection, whatever the command was.
  if (responseCode !== 421 && (code === 'EENVELOPE' || code === 'EMESSAGE')) return 'rejected'
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'login'
  if (code === 'ETLS' || timeoutType === 'UPGRADE_TIMEOUT' || isCertificate(originalCode)) return 'tls'
  const isAway = notReached.has(code) || notReached.has(originalCode) || whileConnecting.has(timeoutType)
  return isAway ? 'unreachable' : 'unknown'
}

function isCertificate(code: unknown): boolean {
  return typeof code === 'string' && /CERT|SIGNATURE|^ERR_TLS_|^ERR_SSL_/.test(code)
}
