// The interface of tracing: spans around work (docs/spec/running.md#tracing). Span attributes are a closed list without statement values,
// addresses, bodies or messages.
import type { Registry } from 'prom-client'
import type { Log } from './log.ts'

/** The allowed attributes of a span, named by OpenTelemetry's conventions where they have one. */
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
  /** The W3C form of this span, to continue the trace in another process. */
  traceparent: string
  rename(name: string): void
  setFacts(facts: Facts): void
  /** Marks the work as failed with a code, never with a message. */
  fail(code: string): void
  /** Links a related trace; a malformed traceparent is ignored. */
  link(traceparent: string): void
}

/** A `server` span continues the trace of `from`, a traceparent as received, or begins one; other spans are children of the current span. */
export type Beginning = { name: string; facts: Facts } & (
  | { kind: 'server'; from: string | undefined }
  | { kind: 'client' | 'internal' }
)

export type Tracing = {
  /** Runs the work in a span. Its errors pass through; the work itself marks the span as failed. */
  span<Answer>(beginning: Beginning, work: (span: Span) => Promise<Answer>): Promise<Answer>
  /** Whether a recording span is active. */
  isUnderWay(): boolean
  /** Sends the remaining spans, for a short time at most. */
  stop(): Promise<void>
}

/** `service` and `nodeId` name the process in every trace. */
export type Traced = { service: string; nodeId: string; log: Log; registry: Registry }
