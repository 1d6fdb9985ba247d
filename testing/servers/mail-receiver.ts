// A mail server for tests: a real SMTP receiver on a free port that keeps what it received, and can refuse or not answer.
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type ReceivedMail = { from: string; to: string[]; raw: string }
export type MailReceiver = {
  smtpUrl: string
  mails: ReceivedMail[]
  /** SMTP sessions begun so far. */
  sessions(): number
  close(): Promise<void>
}

type Behaviour = {
  /** The answer to RCPT TO and to the message, instead of yes. */
  refuseRecipient?: { code: number; words: string }
  refuseMessage?: { code: number; words: string }
  /** Runs when the message is taken, before the client gets the answer. */
  beforeAnswer?: () => Promise<void>
  options?: SMTPServerOptions
  /** 0 = any free port. */
  port?: number
}

/** Starts a receiver. Without TLS and login unless the options say otherwise. */
export async function openMailReceiver(behaviour: Behaviour = {}): Promise<MailReceiver> {
  const mails: ReceivedMail[] = []
  let sessions = 0
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    logger: false,
    ...behaviour.options,
    onConnect(_session, done) {
      sessions += 1
      done()
    },
    onRcptTo(_address, _session, done) {
      done(behaviour.refuseRecipient && refusal(behaviour.refuseRecipient))
    },
    onData(stream, session, done) {
      const take = async () => {
        const raw = (await buffer(stream)).toString('utf8')
        if (behaviour.refuseMessage !== undefined) throw refusal(behaviour.refuseMessage)
        const { mailFrom, rcptTo } = session.envelope
        mails.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), raw })
        await behaviour.beforeAnswer?.()
      }
      take().then(() => done(), done)
    },
  })
  server.on('error', () => undefined) // A client that gives up is what some tests are about.
  const listening = server.listen(behaviour.port ?? 0, '127.0.0.1')
  await new Promise((resolve) => listening.once('listening', resolve))
  const { port } = listening.address() as AddressInfo
  return {
    smtpUrl: `smtp://127.0.0.1:${port}`,
    mails,
    sessions: () => sessions,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** A server that takes connections and never says a word. */
export async function openSilentServer(): Promise<{ smtpUrl: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined) // The client leaves in the middle; that is the point.
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    smtpUrl: `smtp://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** The link that a mail asks the person to open, out of its plain text. */
export function linkIn(mail: ReceivedMail | undefined): string {
  const text = (mail?.raw ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=')
  const [link] = /https?:\/\/\S+\/opt-in\/[\w-]{43}(?=\s)/.exec(text) ?? []
  if (link === undefined) throw new Error('The mail holds no link.')
  return link
}

function refusal({ code, words }: { code: number; words: string }): Error {
  return Object.assign(new Error(words), { responseCode: code })
}
