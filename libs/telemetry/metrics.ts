// The metrics of one process that all its services share (docs/spec/running.md#metrics). Metrics of deliveries are in services/webhooks.
import { totalmem } from 'node:os'
import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof openMetrics>

// The library samples the event loop every 10 ms, which is most of the CPU of an idle process. At rest the measured lag equals this.
const EVENT_LOOP_SAMPLE_MS = 50
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The trace of a request, as exemplars of a histogram name it. */
type Exemplar = 'trace_id'

/** A registry of its own for each process, so that tests can run several in one. */
export function openMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS })
  const registers = [registry]
  // The library makes metrics with exemplars for a registry of this type only; the text is made in metrics-text.ts.
  const withExemplars = new Registry<OpenMetricsContentType>()
  withExemplars.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  const requests = new Histogram<'gateway' | 'route' | 'method' | 'status' | Exemplar>({
    name: 'storefront_http_request_seconds',
    help: 'Public and back-office requests by route and status; a tool that failed with server_error has the status 500.',
    labelNames: ['gateway', 'route', 'method', 'status'],
    buckets: SECONDS,
    enableExemplars: true,
    registers: [withExemplars],
  })
  const actions = new Histogram<'action' | 'outcome' | Exemplar>({
    name: 'storefront_action_seconds',
    help: 'Actions answered, by outcome: ok, a refusal code, or server_error.',
    labelNames: ['action', 'outcome'],
    buckets: SECONDS,
    enableExemplars: true,
    registers: [withExemplars],
  })
  for (const metric of [requests, actions]) registry.registerMetric<string>(metric)
  return {
    registry,
    requests,
    actions,
    breakers: new Gauge({
      name: 'storefront_breaker_open',
      help: 'Breaker state by action: 0 closed, 0.5 half open, 1 open.',
      labelNames: ['action'],
      registers,
    }),
    breakerEvents: new Counter({
      name: 'storefront_breaker_events_total',
      help: 'Events of breakers: success, failure, reject, open, close.',
      labelNames: ['action', 'event'],
      registers,
    }),
    answersCut: new Counter({
      name: 'storefront_answers_cut_total',
      help: 'Answers cut because their readers were too slow: stalled for 30 s, or too much waited for a key or in the process.',
      labelNames: ['because'],
      registers,
    }),
    budget: new Counter({
      name: 'storefront_budget_decisions_total',
      help: 'Admission decisions: admitted, rate_limited, unauthorized, forbidden.',
      labelNames: ['decision', 'via'],
      registers,
    }),
    pageCache: new Counter({
      name: 'storefront_page_cache_total',
      help: 'Page requests: current (answered from the cache), changed, second (cached from now on), first, unknown (no version).',
      labelNames: ['outcome'],
      registers,
    }),
    outboxAge: new Gauge({
      name: 'storefront_outbox_oldest_unsent_seconds',
      help: 'Age of the oldest message that is not sent yet and waits for no parked one.',
      labelNames: ['schema', 'topic'],
      registers,
    }),
    outboxLength: new Gauge({
      name: 'storefront_outbox_unsent',
      help: 'Messages that are not sent yet, counted up to 100,000.',
      labelNames: ['schema', 'topic'],
      registers,
    }),
    outboxParked: new Gauge({
      name: 'storefront_outbox_parked',
      help: 'Messages that were refused too often and wait for an operator.',
      labelNames: ['schema', 'topic'],
      registers,
    }),
    pool: new Gauge({
      name: 'storefront_pool_connections',
      help: 'Database connections by state: total, idle, and calls waiting for one.',
      labelNames: ['schema', 'state'],
      registers,
    }),
    databases: new Gauge({
      name: 'storefront_database_up',
      help: '1 while the database answers a statement over the pool of the service within a second, else 0.',
      labelNames: ['schema'],
      registers,
    }),
    partitionsMissing: new Gauge({
      name: 'storefront_partitions_missing',
      help: 'Partitions of today and tomorrow that do not exist, or of this month and the next.',
      labelNames: ['schema', 'table'],
      registers,
    }),
    mailFailures: new Counter({
      name: 'storefront_mail_failures_total',
      help: 'Mails that were not handed over, by reason; rejected: the mail server refuses this mail or its mailbox.',
      labelNames: ['because'],
      registers,
    }),
    dependencies: new Gauge({
      name: 'storefront_dependency_up',
      help: '1 while a replica of the service that this process calls is known, 0 while none is.',
      labelNames: ['dependency'],
      registers,
    }),
    repeatedCalls: new Counter({
      name: 'storefront_repeated_calls_total',
      help: 'Calls over the bus that were sent once more because their answer was late, by action.',
      labelNames: ['action'],
      registers,
    }),
    secretKeyUses: new Counter({
      name: 'storefront_secret_key_uses',
      help: 'Values found under a secret that is not SECRET_KEY: the next one, the previous one, or one before, whose key is kept.',
      labelNames: ['which'],
      registers,
    }),
    bus: new Gauge({
      name: 'storefront_bus_connected',
      help: '1 while the bus is connected, 0 while it is not; no value where all calls stay in one process.',
      registers,
    }),
    slowConsumer: new Counter({
      name: 'storefront_nats_slow_consumer_total',
      help: 'Connections that a NATS server ended without a reason and accepted again, as it does with a slow consumer.',
      registers,
    }),
    memoryLimit: new Gauge({
      name: 'storefront_memory_limit_bytes',
      help: 'Memory that the container of this process may use; no value where none is set.',
      registers,
      collect() {
        const bytes = process.constrainedMemory()
        if (bytes > 0 && bytes < totalmem()) this.set(bytes)
        else this.remove() // Else it is 0, of which every process uses more than 80 %.
      },
    }),
  }
}
