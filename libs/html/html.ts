// Owns the making of HTML: a template in which every value is escaped, so that no page and no mail can forget it.
// Pages and mails carry words that somebody typed, the name of a shop for instance.

/** Finished markup. Only the template and `markup` make it. */
export type Html = { readonly html: string }
type Value = Html | string | number | null | readonly Html[]

/** A template: text is escaped, finished markup goes in as it is, null is nothing. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return { html: parts.reduce((whole, part, index) => whole + render(values[index - 1] ?? null) + part) }
}

/** Says that a text of ours is markup already. Never for text that came in. */
export function markup(text: string): Html {
  return { html: text }
}

function render(value: Value): string {
  if (value === null) return ''
  if (typeof value === 'string' || typeof value === 'number') return escape(String(value))
  return 'html' in value ? value.html : value.map(({ html: text }) => text).join('')
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
