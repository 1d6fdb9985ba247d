// For each alert of rules/storefront.yaml series that fire it, and the nearest ones that do not, in the notation of promtool: `0+6x20` is
// 0 and 20 further samples, each 6 higher. Used by alerts.test.ts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const services = JSON.parse(readFileSync(join(import.meta.dirname, '../services.json'), 'utf8')) as { name: string }[]

type Series = [series: string, values: string][]
export type AlertCase = {
  /** Between two samples; a minute where it is left out. */
  interval?: string
  /** When the rules are looked at. */
  at: string
  /** The labels of the alert beside its severity. */
  labels: Record<string, string>
  fires: Series
  quiet: Series
  /** It fires where series are missing, so those of another release do not end it. */
  isOfAbsence?: boolean
}

export const JOB = 'job="storefront"'

const requests = (status: number, values: string, gateway = 'rest'): Series[number] => [
  `storefront_http_request_seconds_count{${JOB},gateway="${gateway}",route="/api/v1/orders",status="${status}"}`,
  values,
]
const buckets = (gateway: string, fast: string, all: string, route = '/api/v1/orders'): Series => {
  const labels = `${JOB},gateway="${gateway}",route="${route}",status="200"`
  return [
    [`storefront_http_request_seconds_bucket{${labels},le="0.5"}`, fast],
    [`storefront_http_request_seconds_bucket{${labels},le="+Inf"}`, all],
    [`storefront_http_request_seconds_count{${labels}}`, all],
  ]
}
const one = (metric: string, labels: string, values: string): Series => [
  [`${metric}{${[JOB, ...(labels === '' ? [] : [labels])].join(',')}}`, values],
]
const up = (but: string, value: string): Series =>
  services.map(({ name }) => [`up{${JOB},service="${name}",instance="a"}`, name === but ? value : '1+0x20'])
const orders = { service: 'orders', instance: 'a' }
const ordersLabels = 'service="orders",instance="a"'

export const alertCases: { [name: string]: AlertCase; StorefrontServiceMissing: AlertCase } = {
  StorefrontBudgetBurnsFast: {
    at: '70m',
    labels: { job: 'storefront', slo: 'mcp-availability' },
    fires: [requests(200, '0+980x80', 'mcp'), requests(500, '0+20x80', 'mcp')],
    // A hundredth fails: it is over in a day, but not within hours.
    quiet: [requests(200, '0+995x80', 'mcp'), requests(500, '0+5x80', 'mcp')],
  },
  StorefrontBudgetBurnsSlowly: {
    interval: '5m',
    at: '26h',
    labels: { job: 'storefront', slo: 'rest-latency' },
    fires: buckets('rest', '0+96x400', '0+100x400'),
    quiet: [
      ...buckets('rest', '0+995x400', '0+1000x400'),
      ...buckets('rest', '0+0x400', '0+1000x400', '/api/v1/events'),
    ],
  },
  StorefrontErrors: {
    at: '15m',
    labels: { gateway: 'rest' },
    fires: [requests(200, '0+98x20'), requests(503, '0+2x20')],
    quiet: [requests(200, '0+995x20'), requests(503, '0+5x20')],
  },
  StorefrontSlow: {
    at: '20m',
    labels: { gateway: 'mcp' },
    fires: [
      ...one('storefront_http_request_seconds_bucket', 'gateway="mcp",le="1"', '0+98x30'),
      ...one('storefront_http_request_seconds_bucket', 'gateway="mcp",le="2.5"', '0+100x30'),
      ...one('storefront_http_request_seconds_bucket', 'gateway="mcp",le="+Inf"', '0+100x30'),
    ],
    quiet: [
      ...one('storefront_http_request_seconds_bucket', 'gateway="mcp",le="1"', '0+995x30'),
      ...one('storefront_http_request_seconds_bucket', 'gateway="mcp",le="+Inf"', '0+1000x30'),
    ],
  },
  StorefrontBreakerOpen: {
    at: '5m',
    labels: { action: 'orders.list' },
    fires: one('storefront_breaker_open', 'action="orders.list"', '1+0x10'),
    quiet: one('storefront_breaker_open', 'action="orders.list"', '0.5+0x10'),
  },
  StorefrontBusAway: {
    at: '3m',
    labels: orders,
    fires: one('storefront_bus_connected', ordersLabels, '0+0x10'),
    quiet: one('storefront_bus_connected', ordersLabels, '0 0 1 1 1 1'),
  },
  StorefrontOutboxOld: {
    at: '5m',
    labels: { schema: 'orders', topic: 'events' },
    fires: one('storefront_outbox_oldest_unsent_seconds', 'schema="orders",topic="events"', '61+60x10'),
    quiet: one('storefront_outbox_oldest_unsent_seconds', 'schema="orders",topic="events"', '60+0x10'),
  },
  StorefrontOutboxLong: {
    at: '8m',
    labels: { schema: 'orders', topic: 'events' },
    fires: one('storefront_outbox_unsent', 'schema="orders",topic="events"', '10001+0x10'),
    quiet: one('storefront_outbox_unsent', 'schema="orders",topic="events"', '10000+0x10'),
  },
  StorefrontOutboxParked: {
    at: '1m',
    labels: { schema: 'orders', topic: 'events' },
    fires: one('storefront_outbox_parked', 'schema="orders",topic="events"', '1+0x10'),
    quiet: one('storefront_outbox_parked', 'schema="orders",topic="events"', '0+0x10'),
  },
  StorefrontDeliveriesLate: {
    at: '8m',
    labels: {},
    fires: one('storefront_webhook_oldest_due_seconds', ordersLabels, '61+0x10'),
    quiet: one('storefront_webhook_oldest_due_seconds', ordersLabels, '60+0x10'),
  },
  StorefrontClockOff: {
    at: '5m',
    labels: { instance: 'a' },
    fires: one('storefront_webhook_clock_ahead_seconds', ordersLabels, '-61+0x10'),
    quiet: one('storefront_webhook_clock_ahead_seconds', ordersLabels, '60+0x10'),
  },
  StorefrontDatabaseAway: {
    at: '3m',
    labels: { schema: 'orders', instance: 'a' },
    fires: one('storefront_database_up', 'schema="orders",instance="a"', '0+0x10'),
    quiet: one('storefront_database_up', 'schema="orders",instance="a"', '1 1 0 1 1'),
  },
  StorefrontPartitionsMissing: {
    at: '20m',
    labels: { schema: 'webhooks', table: 'events' },
    fires: one('storefront_partitions_missing', 'schema="webhooks",table="events"', '1+0x20'),
    quiet: one('storefront_partitions_missing', 'schema="webhooks",table="events"', '0+0x20'),
  },
  StorefrontImportsStuck: {
    at: '8m',
    labels: {},
    fires: one('storefront_import_stalled', ordersLabels, '1+0x10'),
    quiet: one('storefront_import_stalled', ordersLabels, '1 1 1 1 1 0 1 1 1'),
  },
  StorefrontMailFailing: {
    at: '10m',
    labels: { because: 'unreachable' },
    fires: one('storefront_mail_failures_total', 'because="unreachable"', '0+1x20'),
    quiet: one('storefront_mail_failures_total', 'because="rejected"', '0+9x20'),
  },
  StorefrontEndpointsDisabled: {
    at: '75m',
    labels: { reason: 'failing' },
    fires: one('storefront_webhook_endpoints_disabled', 'reason="failing"', '2+0x69 3+0x20'),
    quiet: [
      ...one('storefront_webhook_endpoints_disabled', 'reason="failing"', '2+0x90'),
      ...one('storefront_webhook_endpoints_disabled', 'reason="manual"', '2+0x69 3+0x20'),
    ],
  },
  StorefrontNatsSlowConsumer: {
    at: '10m',
    labels: { service: 'orders' },
    fires: one('storefront_nats_slow_consumer_total', ordersLabels, '0 0 0 1+0x20'),
    quiet: one('storefront_nats_slow_consumer_total', ordersLabels, '1+0x20'),
  },
  StorefrontMemoryHigh: {
    at: '8m',
    labels: orders,
    fires: [
      ...one('process_resident_memory_bytes', ordersLabels, '870000000+0x10'),
      ...one('storefront_memory_limit_bytes', ordersLabels, '1073741824+0x10'),
    ],
    quiet: [
      ...one('process_resident_memory_bytes', ordersLabels, '850000000+0x10'),
      ...one('storefront_memory_limit_bytes', ordersLabels, '1073741824+0x10'),
    ],
  },
  StorefrontPoolFull: {
    at: '8m',
    labels: { schema: 'orders', instance: 'a' },
    fires: one('storefront_pool_connections', 'schema="orders",instance="a",state="waiting"', '1+0x10'),
    quiet: one('storefront_pool_connections', 'schema="orders",instance="a",state="total"', '6+0x10'),
  },
  StorefrontEventLoopSlow: {
    at: '8m',
    labels: orders,
    fires: one('nodejs_eventloop_lag_p99_seconds', ordersLabels, '0.26+0x10'),
    quiet: one('nodejs_eventloop_lag_p99_seconds', ordersLabels, '0.25+0x10'),
  },
  StorefrontRefusedStrangers: {
    at: '20m',
    labels: {},
    fires: one('storefront_budget_decisions_total', 'decision="unauthorized"', '0+3060x30'),
    quiet: one('storefront_budget_decisions_total', 'decision="admitted"', '0+9000x30'),
  },
  StorefrontServiceMissing: {
    at: '5m',
    labels: { service: 'orders' },
    fires: up('orders', '0+0x20'),
    quiet: up('', ''),
    isOfAbsence: true,
  },
}
