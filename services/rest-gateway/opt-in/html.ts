// The HTML of the opt-in pages and of a shop's signup form (docs/spec/double-opt-in.md#pages). They work without scripts; a form
// without an action posts to the address of its page, so that no form contains a token.
import { consentText } from '#contracts/objects/contact'
import { limits } from '#contracts/limits'
import { cardPage } from '#html/card-page'
import { type Html, html, markup } from '#html/html'

/** Asks for the consent. `notMePath` is the path of "this was not me". */
export function confirmQuestion(shopName: string, notMePath: string): string {
  return page(shopName, 'Please confirm', letterIcon, [
    html`<h1>One more step</h1>`,
    html`<p>Someone, we hope it was you, asked for news by email to this mailbox. Please confirm:</p>`,
    html`<blockquote>${consentText(shopName)}</blockquote>`,
    html`<form method="post"><button type="submit">Yes, I agree</button></form>`,
    html`<p class="aside">You did not ask for this? <a href="${notMePath}">This was not me</a></p>`,
  ])
}

/** After the consent, and whenever its link is opened again. */
export function confirmed(shopName: string): string {
  return page(shopName, 'Confirmed', checkIcon, [
    html`<h1>Thank you, that is confirmed</h1>`,
    html`<p>From now on <bdi>${shopName}</bdi> sends you news and offers by email.</p>`,
    html`<p>You can stop it at any time, with the link in every email. You may close this page.</p>`,
  ])
}

/** For every link that is not valid: unknown, used, superseded, expired, suppressed. */
export function notValid(): string {
  return page(null, 'Link not valid', clockIcon, [
    html`<h1>This link is not valid any more</h1>`,
    html`<p>Links work for ${limits.optInHours} hours and only once, and a newer mail replaces an older one.</p>`,
    html`<p>If you would like the news, please sign up again; a new mail will come.</p>`,
  ])
}

/** Asks before a mailbox is suppressed. */
export function notMeQuestion(shopName: string): string {
  return page(shopName, 'This was not me', stopIcon, [
    html`<h1>No more news from <bdi>${shopName}</bdi>?</h1>`,
    html`<p>This was not you, or you changed your mind? Then no news and no question like this will come to your mailbox
again.</p>`,
    html`<form method="post"><button type="submit">Do not write to me again</button></form>`,
    html`<p class="aside">This is about news only, not about emails on your orders.</p>`,
  ])
}

/** After the suppression, and whenever it is repeated. */
export function notMeDone(shopName: string): string {
  return page(shopName, 'Done', checkIcon, [
    html`<h1>Sorry for the trouble</h1>`,
    html`<p>Your mailbox is off the list. <bdi>${shopName}</bdi> sends no news and no question like this there again.</p>`,
    html`<p>There is nothing else to do. You may close this page.</p>`,
  ])
}

export type SignupEntry = { email: string; name: string; problem: string | null }

/** The form with the fields `email` and `name`: empty, or with the values and the problem of a refused email. */
export function signupForm(shopName: string, entry: SignupEntry = { email: '', name: '', problem: null }): string {
  const { email, name, problem } = entry
  const isWrong = problem !== null
  const state = isWrong ? markup(' aria-invalid="true" aria-describedby="problem" autofocus') : null
  return page(shopName, isWrong ? 'Please check your email' : 'News by email', letterIcon, [
    html`<h1>News from <bdi>${shopName}</bdi></h1>`,
    html`<p>Enter your email, and we will send you a link. News comes only after you have opened it and said yes.</p>`,
    isWrong ? html`<p class="problem" id="problem" role="alert">${problem}</p>` : html``,
    html`<form method="post">
<label for="email">Email</label>
<input id="email" name="email" type="email" value="${email}" required maxlength="${limits.emailLengthMax}"
  autocomplete="email" inputmode="email" autocapitalize="none" spellcheck="false"${state}>
<label for="name">Name <small>(if you like)</small></label>
<input id="name" name="name" type="text" value="${name}" maxlength="${limits.wordLengthMax}" autocomplete="name">
<button type="submit">Send me the link</button>
</form>`,
    html`<p class="aside">What you will be asked to agree to: “${consentText(shopName)}”</p>`,
  ])
}

/** After the form, whether a mail was sent or not, so that the page does not disclose who is on the list. */
export function checkMailbox(shopName: string): string {
  return page(shopName, 'Check your mailbox', letterIcon, [
    html`<h1>Please check your mailbox</h1>`,
    html`<p>If news can be sent there, a mail with a link is on its way. Open the link and say yes; it works for
${limits.optInHours} hours.</p>`,
    html`<p class="aside">Nothing there after some minutes? Look into the spam folder. If you asked before, the mail that
came then still counts.</p>`,
  ])
}

/** For a handle that no shop has. */
export function noSuchShop(): string {
  return page(null, 'Not found', stopIcon, [
    html`<h1>There is no such page</h1>`,
    html`<p>The address may have been typed or copied wrongly. Please ask the shop for the right one.</p>`,
  ])
}

/** After an error of the service or above the form budget; names no cause. */
export function failed(): string {
  return page(null, 'Not now', stopIcon, [
    html`<h1>That did not work just now</h1>`,
    html`<p>It is not your fault. Please try again in a minute.</p>`,
  ])
}

function page(shopName: string | null, title: string, icon: Html, content: Html[]): string {
  const brand =
    shopName === null
      ? null
      : html`<header><span aria-hidden="true">${initialOf(shopName)}</span><bdi>${shopName}</bdi></header>`
  return cardPage(shopName === null ? title : `${title} – ${shopName}`, brand, [icon, ...content])
}

function initialOf(name: string): string {
  const [first] = new Intl.Segmenter('en').segment(name.trim())
  return first?.segment.toUpperCase() ?? ''
}

function drawing(paths: string): Html {
  return markup(
    `<svg viewBox="0 0 56 56" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="28" cy="28" r="27" fill="currentColor" fill-opacity=".12" stroke="none"/>${paths}</svg>`,
  )
}

const letterIcon = drawing('<rect x="15" y="19" width="26" height="19" rx="3"/><path d="m16 22 12 9 12-9"/>')
const checkIcon = drawing('<path d="m18 29 7 7 14-16"/>')
const clockIcon = drawing('<circle cx="28" cy="28" r="12.5"/><path d="M28 21v7.5l5 3"/>')
const stopIcon = drawing('<circle cx="28" cy="28" r="12.5"/><path d="M22.5 28h11"/>')
