// The metrics that expressions of alerts, dashboards and autoscalers may read.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The metrics in the expressions that the code does not define: others come from prom-client, and `up` from Prometheus itself. */
export function unknownMetrics(expressions: string): string[] {
  const files = ['libs/telemetry/metrics.ts', 'services/webhooks/delivery/metrics.ts', 'services/auth/measures.ts']
  const code = files.map((file) => readFileSync(join(root, file), 'utf8')).join('')
  const own = [...code.matchAll(/name: '(storefront_\w+)'/g)].map((match) => match[1] ?? '')
  const used = expressions.match(/\b(storefront|nodejs|process)_\w+/g) ?? []
  const known = new Set([
    ...own,
    'nodejs_eventloop_lag_p99_seconds',
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
  ])
  return used.filter((name) => !known.has(name.replace(/_(count|bucket|sum)$/, '')))
}

/** The selectors in an expression, such as `up{job="storefront"}`; one without braces is there by its name alone. */
export function selectorsOf(expression: string): string[] {
  return expression.match(/\b(?:storefront[_:][\w:]+|nodejs_\w+|process_\w+|up)\b(?!")(?:\{[^}]*\})?|\{[^}]*\}/g) ?? []
}
