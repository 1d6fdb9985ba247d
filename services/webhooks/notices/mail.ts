// The text of the mails about failing webhooks (docs/spec/webhooks.md#notices). A mail never quotes the response of a receiver,
// because anybody may have written it.
import { trimInvisible } from '#contracts/input/text'
import type { DisabledReason } from '#contracts/objects/webhook'
import { html } from '#html/html'
import type { Letter } from '#mail/mail'
import type { NoticeStage } from './queries.ts'

export type Notice = {
  to: string
  shopName: string
  stage: NoticeStage
  disabledReason: DisabledReason | null
  host: string
  firstFailure: Date | null
  lastError: string | null
  waiting: number
  publicUrl: string
}

/** The mail of one stage. */
export function noticeLetter(notice: Notice): Letter {
  const words = wordsOf(notice)
  const facts: [string, string][] = [
    ['Receiver', notice.host],
    ['First failure', notice.firstFailure?.toISOString() ?? 'none any more'],
    ['Last error', notice.lastError ?? 'none any more'],
    ['Waiting to be sent', notice.waiting >= 10_000 ? '10000 or more' : String(notice.waiting)],
  ]
  const footer = `You get this because you are the owner of ${oneLine(notice.shopName)} at ${new URL(notice.publicUrl).host}.`
  return {
    to: notice.to,
    fromName: 'Webhooks',
    subject: `${words.subject}: ${notice.host}`,
    text: [words.intro, facts.map(([name, value]) => `${name}: ${value}`).join('\n'), words.advice, footer].join(
      '\n\n',
    ),
    html: rich(words, facts, footer),
  }
}

type Words = { subject: string; intro: string; advice: string }

function wordsOf({ stage, disabledReason }: Notice): Words {
  const retry = 'Once the receiver works again, deliveries that were given up can be sent again from the delivery log.'
  const going = 'Deliveries go on being tried. Check that the receiver is up and answers with a status from 200 to 299.'
  switch (stage) {
    case 'given_up':
      return {
        subject: 'Webhook deliveries were given up',
        intro: 'Deliveries to your webhook receiver failed at every attempt and were given up.',
        advice: retry,
      }
    case 'failing_first':
      return {
        subject: 'Webhooks have failed for a day',
        intro: 'Your webhook receiver has not taken a single delivery for a day.',
        advice: going,
      }
    case 'failing_second':
      return {
        subject: 'Webhooks have failed for three days',
        intro:
          'Your webhook receiver has not taken a single delivery for three days. On the fifth day it will be turned off.',
        advice: going,
      }
    case 'disabled':
      return {
        subject: 'A webhook receiver was turned off',
        intro:
          disabledReason === 'gone'
            ? 'Your webhook receiver answered 410 (gone), so it was turned off.'
            : 'Your webhook receiver has failed for five days, so it was turned off.',
        advice: 'Events are kept for 30 days. When you turn the receiver on again, they are sent in their order.',
      }
  }
}

function rich({ subject, intro, advice }: Words, facts: [string, string][], footer: string): string {
  const rows = facts.map(
    ([name, value]) => html`<tr><td style="padding:2px 16px 2px 0">${name}</td><td>${value}</td></tr>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
</head>
<body style="margin:0;padding:0">
<div style="max-width:520px;margin:0 auto;padding:32px 20px;font:16px/1.55 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${subject}</h1>
<p style="margin:0 0 20px">${intro}</p>
<table style="margin:0 0 20px;border-collapse:collapse">${rows}</table>
<p style="margin:0 0 28px">${advice}</p>
<p style="margin:0;padding-top:16px;border-top:1px solid #8a8a8a;font-size:14px">${footer}</p>
</div>
</body>
</html>
`.html
}

/** The name on one line, so that a line break in it cannot pass for text of the mail. */
function oneLine(name: string): string {
  return trimInvisible(name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
}
