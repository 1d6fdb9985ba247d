// Sends mail through the server of SMTP_URL, or writes it into files where none is named. docs/spec/running.md#mail
// docs/spec/double-opt-in.md#mail
// It never throws for a server that is away, slow or refusing: the result says so. Nothing is logged here, because a mail
// consists of addresses and secret links.
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { limits } from '#contracts/limits'
import { type MailRefusal, openSmtp } from './smtp.ts'

export type Letter = {
  to: string
  /** The name beside the sender's address. */
  fromName: string
  subject: string
  text: string
  html: string
  /** Where one POST unsubscribes the receiver (RFC 8058). */
  unsubscribeUrl?: string | undefined
}
export type MailAnswer = 'sent' | { refused: MailRefusal }
export type Mail = {
  send(letter: Letter): Promise<MailAnswer>
  /** Accepts no new mail, waits for the mails under way, closes the connections. */
  close(): Promise<void>
}

export type MailOptions = {
  smtpUrl: string | null
  mailDir: string
  from: string
  timeoutMs?: number
  breakerOpenMs?: number
  onBreaker?(state: 0 | 0.5 | 1): void
  /** Called with each mail that is not sent. */
  onRefused?(because: MailRefusal): void
}
/** `send` never throws. */
type Carrier = { send(mail: SendMailOptions): Promise<'sent' | MailRefusal>; close(): void }

/** Throws one line when SMTP_URL is invalid. */
export function openMail(options: MailOptions): Mail {
  const carrier = options.smtpUrl === null ? openFiles(options.mailDir) : openServer(options, options.smtpUrl)
  const underWay = new Set<Promise<'sent' | MailRefusal>>()
  let isClosed = false

  async function carry(letter: Letter): Promise<'sent' | MailRefusal> {
    if (isClosed) return 'closed'
    // A slow server must not let waiting calls grow without bound.
    if (underWay.size >= limits.mailsAtOnce) return 'busy'
    const sending = carrier.send(messageOf(letter, options.from))
    underWay.add(sending)
    return sending.finally(() => underWay.delete(sending))
  }

  return {
    async send(letter) {
      const outcome = await carry(letter)
      if (outcome === 'sent') return outcome
      options.onRefused?.(outcome)
      return { refused: outcome }
    },
    async close() {
      isClosed = true
      await Promise.all(underWay)
      carrier.close()
    },
  }
}

function openServer(options: MailOptions, smtpUrl: string): Carrier {
  return openSmtp({
    smtpUrl,
    timeoutMs: options.timeoutMs ?? limits.mailMs,
    breakerOpenMs: options.breakerOpenMs ?? limits.mailBreakerOpenMs,
    onBreaker: options.onBreaker ?? (() => undefined),
  })
}

function openFiles(folder: string): Carrier {
  const composer = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(mail) {
      try {
        const { message } = await composer.sendMail(mail)
        await writeMailFile(folder, message as Buffer, new Date())
        return 'sent'
      } catch {
        return 'disk' // The result tells the caller.
      }
    },
    close() {
      composer.close()
    },
  }
}

let filesWritten = 0

// The file appears whole or not at all, only its owner can read it, and the names sort in the order of sending.
async function writeMailFile(folder: string, message: Buffer, now: Date): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700) // It may exist already, with wider rights.
  filesWritten += 1
  const instant = now.toISOString().replaceAll(/[-:.]/g, '')
  const name = `${instant}-${String(filesWritten).padStart(8, '0')}-${randomUUID().slice(0, 8)}`
  const draft = join(folder, `.${name}.draft`)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(message)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, join(folder, `${name}.eml`))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

function messageOf(letter: Letter, from: string): SendMailOptions {
  const { to, fromName, subject, text, html, unsubscribeUrl } = letter
  return {
    from: { name: fromName, address: from },
    to: { name: '', address: to },
    subject,
    text,
    html,
    headers: {
      'Auto-Submitted': 'auto-generated', // RFC 3834: keeps automatic replies away.
      ...(unsubscribeUrl === undefined
        ? {}
        : {
            'List-Unsubscribe': { prepared: true, foldLines: false, value: `<${unsubscribeUrl}>` },
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
    },
  }
}
