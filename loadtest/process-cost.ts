// Owns what a request costs: CPU of each service between two looks at its measures, over the requests that were answered
// in between. CPU is the number to compare; requests a second say more of the machine than of the product.
import type { Replica } from './replicas.ts'

export type Cost = {
  requests: number
  cpuS: Map<string, number>
  /** One line: microseconds of CPU a request in each service, between this look and a later one. */
  until(later: Cost): string
}

export async function readCost(replicas: Replica[]): Promise<Cost> {
  const cpuS = new Map<string, number>()
  let requests = 0
  for (const { service, opsUrl } of replicas) {
    const text = await (await fetch(`${opsUrl}/metrics`)).text()
    cpuS.set(service, (cpuS.get(service) ?? 0) + sumOf(text, 'process_cpu_seconds_total'))
    if (service.endsWith('-gateway')) {
      requests += sumOf(text, 'storefront_http_request_seconds_count')
    }
  }
  return {
    requests,
    cpuS,
    until(later) {
      const count = later.requests - requests
      const parts = [...later.cpuS].map(([service, spent]): [string, number] => [
        service,
        Math.round(((spent - (cpuS.get(service) ?? 0)) / Math.max(1, count)) * 1_000_000),
      ])
      const sum = parts.reduce((total, [, us]) => total + us, 0)
      const shown = parts.filter(([, us]) => us > 0).map(([service, us]) => `${service} ${us}`)
      return `  CPU a request ${sum} us over ${count} requests: ${shown.join(', ')}`
    },
  }
}

function sumOf(text: string, name: string): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
  return lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
