// What a form sends of what was typed. Pure.

export type Body = Record<string, unknown>

/** The fields of `after` that are not as in `before`. A field that nobody touched is not sent, so that a change by others stays. */
export function changesOf(before: Body, after: Body): Body {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  return Object.fromEntries(changed)
}

/** Blank is none. */
export function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim()
}

/** Blank is none. What is no number goes out as it is typed, and the refusal says what is wrong with it. */
export function numberOrNull(text: string): number | string | null {
  const typed = text.trim()
  if (typed === '') return null
  return /^-?\d+$/.test(typed) ? Number(typed) : typed
}

/** One a line. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/**
 * Makes the key of a call: the same for the same body, so that pressing again after a lost answer creates nothing twice.
 */
export function callKeys(): (body: Body) => string {
  let last = { text: '', key: '' }
  return (body) => {
    const text = JSON.stringify(body)
    if (text !== last.text) last = { text, key: crypto.randomUUID() }
    return last.key
  }
}
