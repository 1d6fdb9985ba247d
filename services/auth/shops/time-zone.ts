// Owns what a time zone is: a name of the IANA database, in its own spelling.
// Spec: Shop record ("an IANA `timeZone`"). Decision: a name that another one has replaced, or that the runtime spells the
// old way (Europe/Kyiv), stays the name that was given; offsets such as +01:00 are no zones.

const spellings = new Map(
  ['UTC', 'GMT', ...Intl.supportedValuesOf('timeZone')].map((zone) => [zone.toLowerCase(), zone]),
)

/** The zone in its canonical spelling, or null when there is no such zone. */
export function canonicalTimeZone(text: string): string | null {
  const known = spellings.get(text.toLowerCase())
  if (known !== undefined) return known
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text) || !isZone(text)) return null
  // Older and newer names that the runtime knows without listing them; it cannot tell how they are spelled.
  return text === text.toLowerCase() ? text.replaceAll(/(^|[/_-])[a-z]/g, (start) => start.toUpperCase()) : text
}

function isZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
