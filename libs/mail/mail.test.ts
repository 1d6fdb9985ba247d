// The result of a mail that is accepted, refused, slow, without a server or written as a file; on a real SMTP receiver.
// docs/spec/double-opt-in.md#mail docs/spec/running.md#mail
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { until } from '#testing/until'
import { type MailReceiver, openMailReceiver, openSilentServer } from '#testing/servers/mail-receiver'
import { type Letter, type Mail, type MailOptions, openMail } from './mail.ts'

const letter: Letter = {
  to: 'ada@example.com',
  fromName: 'Bloom & Söhne',
  subject: 'Please confirm – Grüße',
  text: 'Confirm: https://shop.example.com/opt-in/abc\n',
  html: '<p>Confirm: <a href="https://shop.example.com/opt-in/abc">here</a></p>',
  unsubscribeUrl: `https://shop.example.com/opt-in/${'x'.repeat(43)}/not-me`,
}

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

function open(smtpUrl: string | null, options: Partial<MailOptions> = {}): Mail {
  const mail = openMail({
    smtpUrl,
    mailDir: '/nowhere',
    from: 'no-reply@shop.example.com',
    timeoutMs: 4_000,
    ...options,
  })
  closing.push(() => mail.close())
  return mail
}

async function receiver(behaviour: Parameters<typeof openMailReceiver>[0] = {}): Promise<MailReceiver> {
  const server = await openMailReceiver(behaviour)
  closing.push(() => server.close())
  return server
}

describe('a server that accepts mail', () => {
  test('has the whole mail when the result is sent', async () => {
    const server = await receiver()
    expect(await open(server.smtpUrl).send(letter)).toBe('sent')
    const [mail] = server.mails
    expect(mail?.from).toBe('no-reply@shop.example.com')
    expect(mail?.to).toEqual(['ada@example.com'])
    const head = mail?.raw.split('\r\n\r\n')[0] ?? ''
    expect(head).toMatch(/^From: "?=\?UTF-8\?Q\?Bloom_.*\?="? <no-reply@shop\.example\.com>$/im)
    expect(head).toMatch(/^To: ada@example\.com$/m)
    expect(head).toMatch(/^Message-ID: <[0-9a-f-]+@shop\.example\.com>$/m)
    expect(head).toMatch(/^Date: \w{3}, \d{2} \w{3} \d{4} /m)
    expect(head).toMatch(/^Auto-Submitted: auto-generated$/m)
    expect(head).toMatch(new RegExp(`^List-Unsubscribe: <https://shop.example.com/opt-in/x{43}/not-me>$`, 'm'))
    expect(head).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m)
    expect(head).toMatch(/^Content-Type: multipart\/alternative;/m)
    expect(mail?.raw).toMatch(/Content-Type: text\/plain; charset=utf-8/)
    expect(mail?.raw).toMatch(/Content-Type: text\/html; charset=utf-8/)
  })

  test('gets no header that a name or a subject injects', async () => {
    const server = await receiver()
    const injection = 'Shop\r\nBcc: eve@example.com\r\n\r\nbody'
    expect(await open(server.smtpUrl).send({ ...letter, fromName: injection, subject: injection })).toBe('sent')
    expect(server.mails[0]?.to).toEqual(['ada@example.com'])
    expect(server.mails[0]?.raw).not.toMatch(/^Bcc:/m)
  })

  test('keeps a few connections for many mails', async () => {
    const server = await receiver()
    const mail = open(server.smtpUrl)
    const answers = await Promise.all(Array.from({ length: 40 }, () => mail.send(letter)))
    expect(new Set(answers)).toEqual(new Set(['sent']))
    expect(server.mails).toHaveLength(40)
    expect(server.sessions()).toBeLessThanOrEqual(5)
  })

  test('has the mails under way before closing ends', async () => {
    const server = await receiver()
    const mail = open(server.smtpUrl)
    const sending = mail.send(letter)
    await mail.close()
    expect(await sending).toBe('sent')
    expect(await mail.send(letter)).toEqual({ refused: 'closed' })
  })
})

describe('a server that refuses', () => {
  test.each([
    ['the mailbox for good', { refuseRecipient: { code: 550, words: 'no ada@example.com here' } }],
    ['the mailbox for now', { refuseRecipient: { code: 451, words: 'greylisted' } }],
    ['the message', { refuseMessage: { code: 554, words: 'spam' } }],
  ])('%s: the result says so, without its words', async (_name, behaviour) => {
    const server = await receiver(behaviour)
    expect(await open(server.smtpUrl).send(letter)).toEqual({ refused: 'rejected' })
    expect(server.mails).toEqual([])
  })

  test('one mailbox still gets the mails of the others: refusals open no breaker', async () => {
    const server = await receiver({ refuseRecipient: { code: 550, words: 'no' } })
    const states: number[] = []
    const mail = open(server.smtpUrl, { onBreaker: (state) => states.push(state) })
    for (let round = 0; round < 12; round += 1) expect(await mail.send(letter)).toEqual({ refused: 'rejected' })
    expect(states).toEqual([0])
  })

  test('the login', async () => {
    const server = await receiver({
      options: {
        disabledCommands: ['STARTTLS'],
        allowInsecureAuth: true,
        onAuth: (_a, _s, done) => done(new Error('no')),
      },
    })
    const smtpUrl = server.smtpUrl.replace('//', '//shop:wrong@')
    expect(await open(smtpUrl).send(letter)).toEqual({ refused: 'login' })
  })

  test('nothing, but cannot prove its identity: no mail is sent to it', async () => {
    const offered = await receiver({ options: { disabledCommands: ['AUTH'] } })
    const secure = await receiver({ options: { secure: true } })
    expect(await open(offered.smtpUrl).send(letter)).toEqual({ refused: 'tls' })
    expect(await open(secure.smtpUrl.replace('smtp:', 'smtps:')).send(letter)).toEqual({ refused: 'tls' })
    expect([...offered.mails, ...secure.mails]).toEqual([])
  })
})

describe('a server that is slow', () => {
  test('before its greeting counts as unreachable: it has nothing, and the failure is counted', async () => {
    const server = await openSilentServer()
    closing.push(() => server.close())
    const counted: string[] = []
    const mail = open(server.smtpUrl, { timeoutMs: 2_000, onRefused: (because) => counted.push(because) })
    expect(await mail.send(letter)).toEqual({ refused: 'unreachable' })
    expect(counted).toEqual(['unreachable'])
  })

  test('with its answer may have the mail: the result is unknown when the time is over', async () => {
    const { promise: isReleased, resolve: answerNow } = Promise.withResolvers<void>()
    const server = await receiver({ beforeAnswer: () => isReleased })
    const mail = open(server.smtpUrl, { timeoutMs: 3_000 })
    expect(await mail.send(letter)).toEqual({ refused: 'unknown' })
    expect(server.mails).toHaveLength(1)
    answerNow()
  })

  test('does not gather waiting mails without end', async () => {
    const server = await openSilentServer()
    closing.push(() => server.close())
    const mail = open(server.smtpUrl, { timeoutMs: 600 })
    const answers = await Promise.all(Array.from({ length: 60 }, () => mail.send(letter)))
    expect(answers.filter((answer) => answer !== 'sent' && answer.refused === 'busy')).toHaveLength(10)
  })
})

describe('a server that is away', () => {
  test('gets no further attempt after some failures', async () => {
    const server = await openMailReceiver()
    const port = Number(new URL(server.smtpUrl).port)
    await server.close()
    const mail = open(`smtp://127.0.0.1:${port}`)
    for (let round = 0; round < 10; round += 1) expect(await mail.send(letter)).toEqual({ refused: 'unreachable' })
    const back = await receiver({ port })
    expect(await mail.send(letter)).toEqual({ refused: 'unreachable' })
    expect(back.sessions()).toBe(0)
  })

  test('gets an attempt again after a while, and mail is sent when it is back', async () => {
    const server = await openMailReceiver()
    const port = Number(new URL(server.smtpUrl).port)
    await server.close()
    const states: number[] = []
    const mail = open(`smtp://127.0.0.1:${port}`, { breakerOpenMs: 200, onBreaker: (state) => states.push(state) })
    for (let round = 0; round < 10; round += 1) expect(await mail.send(letter)).toEqual({ refused: 'unreachable' })
    expect(states.slice(0, 2)).toEqual([0, 1])
    const back = await receiver({ port })
    await until(async () => (await mail.send(letter)) === 'sent')
    expect(back.mails).toHaveLength(1)
    expect(states.at(-1)).toBe(0)
  })

  test('whose name does not resolve is unreachable', async () => {
    const answer = await open('smtp://no-such-host.invalid', { timeoutMs: 2_000 }).send(letter)
    expect(answer).toEqual({ refused: 'unreachable' })
  })
})

describe('without a server', () => {
  async function folder(): Promise<string> {
    const parent = await mkdtemp(join(tmpdir(), 'mail-'))
    closing.push(() => rm(parent, { recursive: true }))
    return join(parent, 'data', 'mail')
  }

  test('each mail is a file that only its owner reads, named in the order of sending', async () => {
    const mailDir = await folder()
    const mail = open(null, { mailDir })
    for (const to of ['first@example.com', 'second@example.com', 'third@example.com']) {
      expect(await mail.send({ ...letter, to })).toBe('sent')
    }
    const names = (await readdir(mailDir)).toSorted()
    expect(names).toHaveLength(3)
    for (const name of names) expect(name).toMatch(/^\d{8}T\d{9}Z-\d{8}-[0-9a-f]{8}\.eml$/)
    const raws = await Promise.all(names.map((name) => readFile(join(mailDir, name), 'utf8')))
    expect(raws.map((raw) => /^To: (.*)\r$/m.exec(raw)?.[1])).toEqual([
      'first@example.com',
      'second@example.com',
      'third@example.com',
    ])
    expect(raws[0]).toMatch(/^Message-ID: <.+@shop\.example\.com>\r$/m)
    expect(raws[0]).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
    expect((await stat(mailDir)).mode & 0o777).toBe(0o700)
    expect((await stat(join(mailDir, names[0] ?? ''))).mode & 0o777).toBe(0o600)
  })

  test('a folder that cannot be created is a result, not an error', async () => {
    const mailDir = await folder()
    await writeFile(join(mailDir, '..', '..', 'data'), '')
    expect(await open(null, { mailDir }).send(letter)).toEqual({ refused: 'disk' })
  })
})
