// The page about a sign-in that cannot go on. docs/spec/agents-access.md#consent
import { cardHeaders, cardPage } from '#html/card-page'
import { html } from '#html/html'

export const pageHeaders = cardHeaders

/** `message` may quote the client; it is escaped. */
export function problemPage(message: string): string {
  return cardPage('Sign-in of an agent', null, [html`<h1>This agent cannot be connected</h1>`, html`<p>${message}</p>`])
}
