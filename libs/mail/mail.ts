// Owns the sending of mail: through the server of SMTP_URL, or into files where none is named (run.md, SMTP_URL).
// Contract: states-and-events.md 11.2 and 11.5. It never throws for a server that is away, slow or refusing: the answer
// says so. Nothing here is logged, because all there is to log are addresses and links.
import { createTransport, type SendMailOptions } from 'nodemailer'
import { limits } from '#contracts/limits'
import { writeMailFile } from './mail-files.ts'
import { type MailRefusal, openSmtp } from './smtp.ts'

export type Letter = {
  to: string
  /** The name beside the sender's address. */
  fromName: string
  subject: string
  text: string
  html: string
  /** Where one POST takes the receiver off the list (RFC 8058). */
  unsubscribeUrl?: string | undefined
}
export type MailAnswer = 'sent' | { refused: MailRefusal }
export type Mail = {
  send(letter: Letter): Promise<MailAnswer>
  /** Takes no new mail, waits for what is on its way, ends the connections. */
  close(): Promise<void>
}

export type MailOptions = {
  smtpUrl: string | null
  mailDir: string
  from: string
  timeoutMs?: number
  breakerOpenMs?: number
  onBreaker?(state: 0 | 0.5 | 1): void
}

/** Opens the way out for mail. Throws one line when SMTP_URL holds what it must not. */
export function openMail(options: MailOptions): Mail {
  const way = options.smtpUrl === null ? openFiles(options.mailDir) : openServer(options, options.smtpUrl)
  const onTheWay = new Set<Promise<'sent' | MailRefusal>>()
  let isClosed = false
  return {
    async send(letter) {
      if (isClosed) return { refused: 'closed' }
      // A slow server must not gather waiting calls without end.
      if (onTheWay.size >= limits.mailsAtOnce) return { refused: 'busy' }
      const handing = way.hand(messageOf(letter, options.from))
      onTheWay.add(handing)
      const answer = await handing.finally(() => onTheWay.delete(handing))
      return answer === 'sent' ? answer : { refused: answer }
    },
    async close() {
      isClosed = true
      await Promise.all(onTheWay)
      way.close()
    },
  }
}

function openServer(options: MailOptions, smtpUrl: string) {
  return openSmtp({
    smtpUrl,
    timeoutMs: options.timeoutMs ?? limits.mailMs,
    breakerOpenMs: options.breakerOpenMs ?? limits.mailBreakerOpenMs,
    onBreaker: options.onBreaker ?? (() => undefined),
  })
}

function openFiles(folder: string) {
  const composer = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async hand(mail: SendMailOptions): Promise<'sent' | MailRefusal> {
      try {
        const { message } = await composer.sendMail(mail)
        await writeMailFile(folder, message as Buffer, new Date())
        return 'sent'
      } catch {
        return 'disk' // The answer is how the caller hears of it.
      }
    },
    close() {
      composer.close()
    },
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
      'Auto-Submitted': 'auto-generated', // RFC 3834: no holiday notice comes back.
      ...(unsubscribeUrl === undefined
        ? {}
        : {
            'List-Unsubscribe': { prepared: true, foldLines: false, value: `<${unsubscribeUrl}>` },
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
    },
  }
}
