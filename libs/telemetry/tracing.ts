// Owns what the house knows of tracing: spans around work, in words of its own. OpenTelemetry itself is loaded by
// openTracing alone, so a process without a collector neither loads it nor asks anything on its way.
// Nothing in a span that a shop would not want on a postcard: its facts are a closed list, values of statements, addresses,
// bodies and words of errors are not among them.
import type { Registry } from 'prom-client'
import type { TracingConfig } from '#config/config'
import type { Log } from './log.ts'

/** What a span may say. The names are those of OpenTelemetry's conventions where it has some. */
export type FactName =
  | 'http.request.method'
  | 'http.route'
  | 'http.response.status_code'
  | 'rpc.system.name'
  | 'rpc.method'
  | 'db.system.name'
  | 'db.namespace'
  | 'db.query.summary'
  | 'error.type'
  | 'storefront.gateway'
  | 'storefront.request_id'
  | 'storefront.shop_id'
  | 'storefront.key_id'
  | 'storefront.event_id'
  | 'storefront.endpoint_id'
  | 'storefront.attempt'
  | 'storefront.reason'
export type Facts = { [Name in FactName]?: string | number | null | undefined }

export type Span = {
  /** The W3C form of this span, for those who go on with the trace elsewhere. */
  traceparent: string
  rename(name: string): void
  tell(facts: Facts): void
  /** Marks the work as failed: a code, never words. */
  fail(code: string): void
  /** Names another trace that this one has to do with; what is not well-formed is passed over. */
  link(traceparent: string): void
}

/** `server` spans go on with the trace of `from`, a traceparent as it came, or begin one; others with the current span. */
export type Beginning = { name: string; facts: Facts } & (
  | { kind: 'server'; from: string | undefined }
  | { kind: 'client' | 'internal' }
)

export type Tracing = {
  /** Runs the work in a span of its own. What it throws passes; whether that is a failure the work says itself. */
  span<Answer>(beginning: Beginning, work: (span: Span) => Promise<Answer>): Promise<Answer>
  /** Whether a span is under way that will be kept. */
  isUnderWay(): boolean
  /** Sends what is left, for a short while at most. */
  stop(): Promise<void>
}

/** `service` and `nodeId` name the process in every trace. */
export type Traced = { service: string; nodeId: string; log: Log; registry: Registry }

/** Loads OpenTelemetry and begins to trace; undefined where no collector is named. */
export async function openTracing(config: TracingConfig | null, traced: Traced): Promise<Tracing | undefined> {
  if (config === null) return undefined
  const { openSpans } = await import('./spans.ts')
  return openSpans(config, traced)
}
