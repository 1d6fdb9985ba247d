// The code of every service of the registry, in the order in which one process starts them.
import type { ServiceDefinition } from '#runtime/service'
import { registry } from './registry.ts'

export const services: ServiceDefinition[] = await Promise.all(registry.map(({ name }) => load(name)))

// The service of services/<name>/service.ts is the export that carries the name.
async function load(name: string): Promise<ServiceDefinition> {
  const exported: ServiceDefinition[] = Object.values(await import(`../services/${name}/service.ts`))
  const service = exported.find((one) => one.name === name)
  if (service === undefined) throw new Error(`services/${name}/service.ts exports no service named ${name}.`)
  return service
}
