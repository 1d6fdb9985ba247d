// The page of a game day in Markdown: fault, hypothesis, what callers saw, when it was detected, and whether the hypothesis held.
import type { Figures } from '../judge/calls.ts'
import { seconds } from '../program.ts'
import type { Alert } from './prometheus.ts'

/** `alerts`: null where no Prometheus evaluated the rules. */
export type Entry = {
  fault: string
  hypothesis: string
  lastedMs: number
  figures: Figures
  breaches: string[]
  alerts: Alert[] | null
}
export type Day = {
  seed: number
  minutes: number
  date: Date
  processes: number
  prometheus: string | null
  entries: Entry[]
  stopped: string | null
  /** Broken invariants of the stored data, at the end. */
  stored: string[]
}

/** The whole page. */
export function pageOf({ seed, minutes, date, processes, prometheus, entries, stopped, stored }: Day): string {
  const kept = entries.filter(({ breaches }) => breaches.length === 0).length
  const rules =
    prometheus === null
      ? 'No rule was evaluated: there is no `prometheus` on the PATH.'
      : `The rules of helm/rules were evaluated by Prometheus ${prometheus} every five seconds.`
  return `# Game day ${seed}

${kept} of ${entries.length} hypotheses were kept on ${date.toISOString().slice(0, 10)}, in ${minutes} minutes with ${processes} processes, two
replicas of each service, under 30 reads, 5 tool calls, 5 contact writes and 5 orders a second. ${rules}
${stopped === null ? '' : `\nThe day was stopped: ${stopped}.\n`}
| Fault | Hypothesis | Seen | Detected after | Kept |
|---|---|---|---|---|
${entries.map(rowOf).join('\n')}

Stop condition of each fault: a wrong answer (any other than a 500, a 503, a reset, a refused connection or a timeout), or calls that still
fail half a minute after its end. An alert counts for the fault in whose time it became true; in brackets: its condition held, but not for
its whole \`for\`.

${stored.length === 0 ? 'Afterwards every answered write existed once, every event was handed over once, and no sequence had a gap.' : `Afterwards:\n\n${stored.map((line) => `- ${line}`).join('\n')}`}
`
}

function rowOf({ fault, hypothesis, lastedMs, figures, breaches, alerts }: Entry): string {
  const { calls, failed, byKind, slowestMs, healthyMs } = figures
  const failures = failed === 0 ? 'none failed' : `${failed} failed (${byKind})`
  const seen = `lasted ${seconds(lastedMs)}; ${calls} calls, ${failures}, slowest ${seconds(slowestMs)}, well after ${seconds(healthyMs)}`
  const cells = [
    fault,
    hypothesis,
    seen,
    detectedOf(alerts),
    breaches.length === 0 ? 'kept' : `**not kept**: ${breaches.join('; ')}`,
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function detectedOf(alerts: Alert[] | null): string {
  if (alerts === null) return 'not evaluated'
  const fired = new Set(alerts.filter(({ isFiring }) => isFiring).map(({ name }) => name))
  const words = alerts
    .filter(({ name, isFiring }) => isFiring || !fired.has(name))
    .map(({ name, ms, isFiring }) => (isFiring ? `${name} ${seconds(ms)}` : `(${name} ${seconds(ms)})`))
  return words.length === 0 ? 'no alert' : words.join(', ')
}
