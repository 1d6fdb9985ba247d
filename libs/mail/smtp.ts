// Owns the handing over of one message to the mail server within its time, and what counts as the server being away.
// Contract: states-and-events.md 11.2, "true only after the mail server took it". An answer, be it a no, says that the
// server lives; the breaker counts only what is no answer, so that one bad mailbox never stops the mail of the others.
import { createTransport, type SendMailOptions } from 'nodemailer'
import CircuitBreaker from 'opossum'
import { limits } from '#contracts/limits'
import { readSmtpUrl } from './smtp-url.ts'

/**
 * Why a mail is not known to have gone out. `rejected`: the server said no to this message. `unknown`: it broke off or
 * took too long, so it may have the message all the same. In all other cases nothing was handed over. These are words of
 * ours, since a server's own words quote addresses.
 */
export type MailRefusal = 'rejected' | 'unknown' | 'unreachable' | 'login' | 'tls' | 'busy' | 'disk' | 'closed'

export type SmtpOptions = {
  smtpUrl: string
  /** For the whole of one mail, waiting for a free connection included. */
  timeoutMs: number
  /** How long the breaker stays open before it lets one mail try. */
  breakerOpenMs: number
  /** Hears the state of the breaker: 0 closed, 0.5 trying, 1 open. */
  onBreaker(state: 0 | 0.5 | 1): void
}

/** A mail server behind a breaker. `hand` never throws. */
export function openSmtp({ smtpUrl, timeoutMs, breakerOpenMs, onBreaker }: SmtpOptions) {
  const transport = openTransport(smtpUrl, timeoutMs)
  const breaker = new CircuitBreaker(handOver, {
    name: 'smtp',
    timeout: false, // The one timer is the mail's own, which also ends the connection that hangs.
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

  async function handOver(mail: SendMailOptions): Promise<'sent' | 'rejected'> {
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
    async hand(mail: SendMailOptions): Promise<'sent' | MailRefusal> {
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
    maxRequeues: 1, // For a connection that the server closed while it was idle: nothing was sent over it.
    idleTimeout: 30_000,
    // Half of the time for getting there, so that a server that is away is told apart from one that breaks off.
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

const neverThere = new Set<unknown>(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EDNS'])
const whileArriving = new Set<unknown>(['CONNECT_TIMEOUT', 'GREETING_TIMEOUT'])

function refusalOf(error: unknown): MailRefusal {
  const { code, originalCode, timeoutType, responseCode } = error as Record<string, unknown>
  // 421 is the server leaving, whatever it was asked.
  if (responseCode !== 421 && (code === 'EENVELOPE' || code === 'EMESSAGE')) return 'rejected'
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'login'
  if (code === 'ETLS' || timeoutType === 'UPGRADE_TIMEOUT' || isCertificate(originalCode)) return 'tls'
  const isAway = neverThere.has(code) || neverThere.has(originalCode) || whileArriving.has(timeoutType)
  return isAway ? 'unreachable' : 'unknown'
}

function isCertificate(code: unknown): boolean {
  return typeof code === 'string' && /CERT|SIGNATURE|^ERR_TLS_|^ERR_SSL_/.test(code)
}
