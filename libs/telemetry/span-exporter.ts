// Sends spans to the collector: in batches, in the background, with a bound. While the collector is away spans are dropped and counted,
// and a warning says so once a minute at most; requests never wait for the collector.
import { ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace'
import { Counter, type Registry } from 'prom-client'
import type { TracingConfig } from '#config/config'
import type { Log } from './log.ts'

const WAITING_MAX = 2_048 // Some megabytes at most, spans in flight included.
const BATCH = 512
const BATCH_MS = 1_000
const SEND_MS = 5_000 // The exporter's own retries included.
const SAY_AGAIN_MS = 60_000

/** The processor of a tracer; counts `storefront_spans_total`. */
export function openSpanExporter(config: TracingConfig, log: Log, registry: Registry): SpanProcessor {
  const spans = new Counter({
    name: 'storefront_spans_total',
    help: 'Spans by outcome: sent, or dropped because the collector is away or slow.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  let waiting = 0
  let dropped = 0
  let saidAt = Number.NEGATIVE_INFINITY

  function drop(count: number, error: unknown): void {
    spans.inc({ outcome: 'dropped' }, count)
    dropped += count
    if (performance.now() - saidAt < SAY_AGAIN_MS) return
    saidAt = performance.now()
    log.warn({ error, dropped }, 'spans are dropped: the collector does not take them')
  }

  function sent(count: number): void {
    spans.inc({ outcome: 'sent' }, count)
    if (dropped > 0) log.info({ dropped }, 'the collector takes spans again')
    dropped = 0
    saidAt = Number.NEGATIVE_INFINITY
  }

  const otlp = new OTLPTraceExporter({
    url: `${config.endpoint}/v1/traces`,
    headers: config.headers,
    timeoutMillis: SEND_MS,
  })
  const exporter: SpanExporter = {
    export(batch, done) {
      otlp.export(batch, (result) => {
        waiting -= batch.length
        if (result.code === ExportResultCode.SUCCESS) sent(batch.length)
        else drop(batch.length, result.error)
        done(result)
      })
    },
    shutdown: () => otlp.shutdown(),
    forceFlush: () => otlp.forceFlush(),
  }
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: WAITING_MAX,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: BATCH_MS,
    exportTimeoutMillis: 2 * SEND_MS,
  })
  return {
    onStart: () => undefined,
    onEnd(span: ReadableSpan) {
      if ((span.spanContext().traceFlags & 1) === 0) return
      if (waiting >= WAITING_MAX) return drop(1, new Error('The queue is full.'))
      waiting += 1
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }
}
