// Owns which span the code that runs now belongs to. Nothing of OpenTelemetry is loaded for it, so that the log can ask.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from '@opentelemetry/api'
import type { Config } from '#config/config'
import type { LineFields } from './log.ts'

/** The span around the work under way; empty where nothing is traced. */
export const currentSpan = new AsyncLocalStorage<Span>()

/** What the log of a process is opened with: where the process traces, each line says to which span it belongs. */
export function traceFieldsOf({ tracing }: Pick<Config, 'tracing'>): LineFields | undefined {
  return tracing === null ? undefined : traceFields
}

function traceFields(): { trace_id?: string; span_id?: string } {
  const context = currentSpan.getStore()?.spanContext()
  return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId }
}
