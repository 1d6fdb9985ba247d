// The replicas of `npm run stack` and their ports, from `--replicas`.
import { parseArgs } from 'node:util'
import { registry, type ServiceEntry } from '../registry.ts'

export type Replica = { service: ServiceEntry; number: number; port: number | null; opsPort: number }

const PORTS_APART = 50 // Gateways with the same port setting listen this far apart, which leaves room for replicas.
const REPLICAS_MAX = 99

/** Replicas by service, from `--replicas orders=2,rest-gateway=2`; the others run once, 0 leaves a service out. */
export function readReplicas(): Map<string, number> {
  const { values } = parseArgs({ options: { replicas: { type: 'string', default: '' } } })
  const counts = new Map(registry.map(({ name }) => [name, 1]))
  for (const part of values.replicas.split(',').filter((text) => text !== '')) {
    const [name = '', count = ''] = part.split('=')
    if (!counts.has(name))
      throw new Error(`--replicas names ${name}, but the services are ${[...counts.keys()].join(', ')}.`)
    const [next] = withSamePort(name).after
    const max = next === undefined ? REPLICAS_MAX : PORTS_APART - 1
    if (!/^\d{1,2}$/.test(count) || Number(count) > max) {
      const reason = `Replica n listens on PORT + n, and ${next?.name} from PORT + ${PORTS_APART} on.`
      throw new Error(`--replicas ${name} must be a number from 0 to ${max}.${next === undefined ? '' : ` ${reason}`}`)
    }
    counts.set(name, Number(count))
  }
  return counts
}

/** Replica n of a gateway listens on its port + n; operations ports are counted up from OPS_PORT. */
export function planReplicas(
  counts: Map<string, number>,
  ports: { PORT: number; ADMIN_PORT: number },
  ops: number,
): Replica[] {
  const plan: Replica[] = []
  for (const service of registry) {
    for (let number = 0; number < (counts.get(service.name) ?? 0); number += 1) {
      const port = service.port && portOf(service.name, ports[service.port.setting]) + number
      plan.push({ service, number, port, opsPort: ops + plan.length })
    }
  }
  return plan
}

/** The port of a gateway's replica 0, counted from the value of its setting. */
export function portOf(name: string, setting: number): number {
  return setting + PORTS_APART * withSamePort(name).before.length
}

/** The gateways with the same port setting that stand before and after this one in the registry. */
function withSamePort(name: string): { before: ServiceEntry[]; after: ServiceEntry[] } {
  const setting = registry.find((service) => service.name === name)?.port?.setting
  const same = registry.filter(({ port }) => port !== null && port.setting === setting)
  const index = same.findIndex((service) => service.name === name)
  return { before: same.slice(0, Math.max(index, 0)), after: index < 0 ? [] : same.slice(index + 1) }
}
