// An HTML template that escapes every value, for pages and mails: they hold text that somebody typed, such as a shop's name.

/** Finished markup. Only the template and `markup` make it. */
export type Html = { readonly html: string }
type Value = Html | string | number | null | readonly Html[]

/** A template: text is escaped, finished markup goes in as it is, null is nothing. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return { html: parts.reduce((whole, part, index) => whole + render(values[index - 1] ?? null) + part) }
}

/** Marks a text of ours as finished markup. Never for text from outside. */
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
