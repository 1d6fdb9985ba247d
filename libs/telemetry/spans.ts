// Spans by OpenTelemetry. Together with span-exporter.ts this is the only file that loads it; nothing is registered globally and nothing
// is patched.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span as OpenSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TracingConfig } from '#config/config'
import { openSpanExporter } from './span-exporter.ts'
import { currentSpan } from './trace-context.ts'
import type { Beginning, Facts, Span, Traced, Tracing } from './tracing.ts'

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const STOP_MS = 2_000 // A process that ends does not wait longer for a collector that is away.

/** Starts tracing and sending spans in the background. */
export function openSpans(config: TracingConfig, { service, nodeId, log, registry }: Traced): Tracing {
  const sender = openSpanExporter(config, log, registry)
  const resource = resourceFromAttributes({
    'service.namespace': 'storefront',
    'service.name': service,
    'service.instance.id': nodeId,
  })
  const provider = new TracerProvider({ resource, sampler: samplerOf(config), spanProcessors: [sender] })
  const tracer = provider.getTracer('storefront')
  return {
    async span(beginning, work) {
      const options = { kind: kinds[beginning.kind], attributes: attributesOf(beginning.facts) }
      const span = tracer.startSpan(beginning.name, options, parentOf(beginning))
      try {
        return await currentSpan.run(span, work, handle(span))
      } finally {
        span.end()
      }
    },
    isUnderWay: () => currentSpan.getStore()?.isRecording() ?? false,
    async stop() {
      // The exporter reports failures itself.
      const sent = provider.shutdown().catch(() => undefined)
      await Promise.race([sent, sleep(STOP_MS, undefined, { ref: false })])
    },
  }
}

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  const all = new AlwaysOnSampler()
  const none = new AlwaysOffSampler()
  const some = new TraceIdRatioBasedSampler(ratio)
  const samplers: Record<TracingConfig['sampler'], Sampler> = {
    always_on: all,
    always_off: none,
    traceidratio: some,
    parentbased_always_on: new ParentBasedSampler({ root: all }),
    parentbased_always_off: new ParentBasedSampler({ root: none }),
    parentbased_traceidratio: new ParentBasedSampler({ root: some }),
  }
  return samplers[sampler]
}

function parentOf(beginning: Beginning): Context {
  if (beginning.kind !== 'server') {
    const current = currentSpan.getStore()
    return current === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, current)
  }
  const from = contextOf(beginning.from)
  return from === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, from)
}

// W3C Trace Context, 3.2: of versions to come the first four parts are read; 00 has no others; ff and zeros are invalid.
function contextOf(traceparent: string | undefined): SpanContext | null {
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(context) ? context : null
}

function handle(span: OpenSpan): Span {
  return {
    get traceparent() {
      const { traceId, spanId, traceFlags } = span.spanContext()
      return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`
    },
    rename: (name) => void span.updateName(name),
    setFacts: (facts) => void span.setAttributes(attributesOf(facts)),
    fail(code) {
      span.setAttribute('error.type', code)
      span.setStatus({ code: SpanStatusCode.ERROR })
    },
    link(traceparent) {
      const context = contextOf(traceparent)
      if (context !== null) span.addLink({ context })
    },
  }
}

function attributesOf(facts: Facts): Record<string, string | number> {
  const present = Object.entries(facts).filter((fact): fact is [string, string | number] => (fact[1] ?? null) !== null)
  return Object.fromEntries(present)
}
