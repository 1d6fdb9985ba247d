// The metrics of a process as text: the format of Prometheus, or OpenMetrics with exemplars where the scraper asks for it
// (docs/spec/running.md#metrics).
import { type Metric, type OpenMetricsContentType, Registry } from 'prom-client'

export type MetricsText = { contentType: string; text: string }

/** Renders all metrics in the format that `accept`, the header of the scraper, asks for. */
export async function metricsText(registry: Registry, accept: string | undefined): Promise<MetricsText> {
  if (!asksForOpenMetrics(accept)) return { contentType: registry.contentType, text: await registry.metrics() }
  const rendered = new Registry<OpenMetricsContentType>()
  rendered.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  for (const { name } of registry.getMetricsAsArray()) {
    const metric = registry.getSingleMetric(name)
    if (metric !== undefined) rendered.registerMetric(viewOf(metric))
  }
  return { contentType: rendered.contentType, text: await rendered.metrics() }
}

// In this format the registry takes `_total` away from the name of each counter, for good. It gets an object of its own that inherits
// everything else, so that the other format keeps the name.
function viewOf(metric: Metric): Metric {
  return Object.create(metric) as Metric
}

function asksForOpenMetrics(accept = ''): boolean {
  const range = accept.split(',').find((one) => one.trim().startsWith('application/openmetrics-text'))
  return range !== undefined && !/;\s*q=0(\.0*)?\s*(;|$)/.test(range)
}
