// Owns the rule "an unknown value stops the start with one line that names it" (run.md, Environment). The environment is
// full of foreign names (PATH, HOME ...), so a name is refused only when it looks like one of ours: another case, a slip
// of the fingers, or one of our first words. What Kubernetes injects for its services looks like ours and is let through.

const firstWords = [
  ...['ADMIN_', 'AUTH_FAILURES', 'DATABASE_', 'DATA_', 'NATS_', 'OPS_', 'REQUESTS_', 'SECRET_', 'SMTP_', 'TRUSTED_'],
  'WEBHOOK_',
]
// Names of other programs that begin with one of our words: the certificate file of Python's HTTP client.
const foreignNames = ['REQUESTS_CA_BUNDLE']
const injectedName = /_SERVICE_HOST$|_SERVICE_PORT(_.*)?$|_PORT_\d+_(TCP|UDP|SCTP)(_.*)?$/
const injectedPortValue = /^(tcp|udp|sctp):\/\//

/** Whether Kubernetes put it there for a service of its own, such as ADMIN_PORT=tcp://10.0.0.7:80 for a service "admin". */
export function isInjected(name: string, value: string): boolean {
  return injectedName.test(name) || (name.endsWith('_PORT') && injectedPortValue.test(value))
}

/**
 * The setting that was probably meant by a foreign name; null when the name does not look like one of ours. `files` are the
 * names under which settings may be given as files.
 */
export function meantSetting(name: string, known: readonly string[], files: readonly string[] = []): string | null {
  if (foreignNames.includes(name)) return null
  const upper = name.toUpperCase()
  const slip = [...known, ...files].find((candidate) => editDistance(upper, candidate) <= slipsAllowed(candidate))
  if (slip !== undefined) return slip
  if (!firstWords.some((word) => name.startsWith(word))) return null
  const byLikeness = [...known].sort(
    (a, b) => sharedStart(name, b) - sharedStart(name, a) || editDistance(name, a) - editDistance(name, b),
  )
  return byLikeness[0] ?? null
}

// In a short name two slips already make another common name: HOST and PORT, TEMP and DEMO, APP_PORT and OPS_PORT.
function slipsAllowed(candidate: string): number {
  return candidate.length <= 8 ? 1 : 2
}

function sharedStart(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return length
}

// A letter left out, added, changed, or swapped with its neighbour is one slip each.
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1]
      let best = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1))
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) best = Math.min(best, at(beforeLast, column - 2) + 1)
      current.push(best)
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

function at(row: number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
