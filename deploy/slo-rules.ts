// The recording rules of the service level objectives: docs/runbook.md#service-level-objectives. `npm run generate` writes helm/rules/slo.yaml from
// them. A rule records how many times faster than allowed an objective uses up its errors; 1 uses up those of thirty days in thirty days.

type Objective = {
  slo: string
  /** The part of what is counted that must be good. */
  target: number
  /** PromQL of the part that is bad within the window. */
  bad(window: string): string
}

/** The windows of the alerts: two for each condition, so that an alert ends soon after its cause. */
const windows = ['5m', '30m', '1h', '2h', '6h', '1d', '3d']
// Every selector has it: the chart puts namespace and release beside it.
const JOB = 'job="storefront"'
const BY = 'by (job, namespace, release)'
const WITHOUT_WAITS = 'route!="/api/v1/events",status!~"5.."' // A caller of the event log chooses how long it waits.

const objectives: Objective[] = [
  ...['rest', 'mcp'].flatMap((gateway): Objective[] => [
    { slo: `${gateway}-availability`, target: 0.999, bad: (window) => failedPart(gateway, window) },
    { slo: `${gateway}-latency`, target: 0.99, bad: (window) => slowPart(gateway, window) },
  ]),
  { slo: 'deliveries-availability', target: 0.999, bad: lateTime },
  { slo: 'deliveries-latency', target: 0.99, bad: waitingPart },
]

/** The file of the recording rules, with the text that it must have. */
export function sloFile(): { path: string; text: string } {
  const rules = objectives.flatMap(({ slo, target, bad }) =>
    windows.map(
      (window) => `      - record: storefront:slo_burn:rate${window}
        labels: { slo: ${slo} }
        expr: (${bad(window)}) / ${Math.round((1 - target) * 1_000) / 1_000}
`,
    ),
  )
  const text = `# Recording rules of the service level objectives, read by the chart and by docker-compose.yml. Their alerts are in storefront.yaml.
# Written by \`npm run generate\` from deploy/slo-rules.ts.
groups:
  - name: storefront-slo
    rules:
${rules.join('')}`
  return { path: 'helm/rules/slo.yaml', text }
}

function failedPart(gateway: string, window: string): string {
  const requests = (more: string) =>
    `sum ${BY} (rate(storefront_http_request_seconds_count{${JOB},gateway="${gateway}"${more}}[${window}]))`
  return `${requests(',status=~"5.."')} / ${requests('')}`
}

function slowPart(gateway: string, window: string): string {
  const requests = (form: string, more = '') =>
    `sum ${BY} (rate(storefront_http_request_seconds_${form}{${JOB},gateway="${gateway}",${WITHOUT_WAITS}${more}}[${window}]))`
  return `1 - ${requests('bucket', ',le="0.5"')} / ${requests('count')}`
}

function lateTime(window: string): string {
  return `avg_over_time((max ${BY} (storefront_webhook_oldest_due_seconds{${JOB}}) > bool 60)[${window}:1m])`
}

function waitingPart(window: string): string {
  const claims = (form: string, more = '') =>
    `sum ${BY} (rate(storefront_webhook_wait_seconds_${form}{${JOB}${more}}[${window}]))`
  return `1 - ${claims('bucket', ',le="2.5"')} / ${claims('count')}`
}
