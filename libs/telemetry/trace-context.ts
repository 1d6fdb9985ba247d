// The current span. OpenTelemetry is not loaded for it, so that the log can read it.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from '@opentelemetry/api'
import type { Config } from '#config/config'
import type { LineFields } from './log.ts'

/** The span around the current work; empty where nothing is traced. */
export const currentSpan = new AsyncLocalStorage<Span>()

/** The span ids for every log line of a process that traces. */
export function traceFieldsOf({ tracing }: Pick<Config, 'tracing'>): LineFields | undefined {
  return tracing === null ? undefined : traceFields
}

/** The trace of the current work as the exemplar of a metric; empty where the trace is not kept. */
export function traceExemplar(): { trace_id?: string } {
  const span = currentSpan.getStore()
  return span?.isRecording() === true ? { trace_id: span.spanContext().traceId } : {}
}

function traceFields(): { trace_id?: string; span_id?: string } {
  const context = currentSpan.getStore()?.spanContext()
  return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId }
}
