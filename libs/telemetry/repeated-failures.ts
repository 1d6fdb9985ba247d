// Failures that repeat (docs/spec/running.md#logs): the first of a kind is logged with its stack. Those that follow are counted, and one line
// a minute without a stack has their number, until none comes for a minute.

/** Two failures are of one kind when they differ only in ids and numbers. */
export type FailureKind = { level: number; service: unknown; action: unknown; message: string; error: Error }

type Counted = { count: number; timer: NodeJS.Timeout }

const COUNTED_MS = 60_000
const KINDS_MAX = 500 // Further kinds are logged each time.
const VARIES = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+/gi

/** Counts the failures of one process. */
export function openRepeatedFailures() {
  const kinds = new Map<string, Counted>()

  /** Whether the failure is the first of its kind; else it is counted, and `say` is called with the number of those of a minute. */
  return function isFirst(kind: FailureKind, say: (count: number) => void): boolean {
    const key = keyOf(kind)
    const known = kinds.get(key)
    if (known !== undefined) {
      known.count += 1
      return false
    }
    if (kinds.size >= KINDS_MAX) return true
    const counted: Counted = { count: 0, timer: setInterval(tell, COUNTED_MS).unref() }
    kinds.set(key, counted)
    return true

    function tell(): void {
      const { count, timer } = counted
      counted.count = 0
      if (count > 0) return say(count)
      clearInterval(timer)
      kinds.delete(key)
    }
  }
}

function keyOf({ level, service, action, message, error }: FailureKind): string {
  const { code } = error as { code?: unknown }
  return JSON.stringify([level, service, action, message, error.name, code, error.message.replaceAll(VARIES, '#')])
}
