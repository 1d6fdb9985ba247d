// Starts tracing (docs/spec/running.md#tracing). Only this module loads OpenTelemetry, and only where a collector is configured.
import type { TracingConfig } from '#config/config'
import type { Traced, Tracing } from './tracing.ts'

/** Loads OpenTelemetry and starts tracing; undefined where no collector is configured. */
export async function openTracing(config: TracingConfig | null, traced: Traced): Promise<Tracing | undefined> {
  if (config === null) return undefined
  const { openSpans } = await import('./spans.ts')
  return openSpans(config, traced)
}
