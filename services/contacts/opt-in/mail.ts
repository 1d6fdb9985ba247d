// The text of the opt-in mail. docs/spec/double-opt-in.md#mail
import { consentText } from '#contracts/objects/contact'
import { limits } from '#contracts/limits'
import { trimInvisible } from '#contracts/input/text'
import { html } from '#html/html'
import type { Letter } from '#mail/mail'

type OptInMail = { email: string; shopName: string; publicUrl: string; token: string }

/** The mail that asks for the confirmation. */
export function optInLetter({ email, shopName, publicUrl, token }: OptInMail): Letter {
  const shop = oneLine(shopName)
  const confirmUrl = `${publicUrl}/opt-in/${token}`
  const notMeUrl = `${confirmUrl}/not-me`
  const words = {
    shop,
    consent: consentText(shop),
    confirmUrl,
    notMeUrl,
    intro: `Someone, we hope it was you, asked for news from ${shop} to this mailbox. Please confirm.`,
    validity: `The link works for ${limits.optInHours} hours. Unless you confirm, no news will come.`,
  }
  return {
    to: email,
    fromName: shop,
    subject: `Please confirm: news from ${shop}`,
    text: plain(words),
    html: rich(words),
    unsubscribeUrl: notMeUrl,
  }
}

type Words = {
  shop: string
  consent: string
  confirmUrl: string
  notMeUrl: string
  intro: string
  validity: string
}

function plain(words: Words): string {
  return `${words.intro}

What you agree to:
"${words.consent}"

To confirm, open this page and press the button there:
${words.confirmUrl}

${words.validity}

This was not you, or you changed your mind? Tell us, and no more news will come:
${words.notMeUrl}
`
}

// Mail programs know little CSS: one column, inline styles, colours that stay legible when a program darkens them.
function rich(words: Words): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>Please confirm: news from ${words.shop}</title>
</head>
<body style="margin:0;padding:0">
<div style="max-width:520px;margin:0 auto;padding:32px 20px;font:16px/1.55 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">One more step</h1>
<p style="margin:0 0 20px">${words.intro}</p>
<p style="margin:0 0 20px;padding:12px 16px;border-left:3px solid #2f6f5e">${words.consent}</p>
<p style="margin:0 0 24px"><a href="${words.confirmUrl}" style="display:inline-block;padding:13px 22px;border-radius:8px;background:#2f6f5e;color:#ffffff;font-weight:600;text-decoration:none">Go to the confirmation</a></p>
<p style="margin:0 0 8px;font-size:14px">${words.validity} The button opens this page:</p>
<p style="margin:0 0 28px;font-size:14px;word-break:break-all"><a href="${words.confirmUrl}">${words.confirmUrl}</a></p>
<p style="margin:0;padding-top:16px;border-top:1px solid #8a8a8a;font-size:14px">This was not you, or you changed your mind? <a href="${words.notMeUrl}">Tell us</a>, and no more news will come.</p>
</div>
</body>
</html>
`.html
}

// A line break in the name would make its rest look like a part of the mail.
function oneLine(name: string): string {
  return trimInvisible(name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
}
