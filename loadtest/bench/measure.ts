// One window of the benchmark: the generator sends one request to one form over so many connections, and the CPU that the
// form's processes spent meanwhile is divided by the number of responses.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { cpuPerRequest, readCpu } from '../usage.ts'
import type { Form, FormName } from './forms.ts'
import type { Order, Seen } from './generator.ts'
import type { Scenario } from './scenarios.ts'

export type Window = {
  scenario: string
  connections: number
  form: FormName
  round: number
  requests: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  bytes: number
  /** Microseconds of CPU a request, by process and in all. */
  cpuUs: Record<string, number>
  sumUs: number
}
export type Generator = {
  measure(form: Form, scenario: Scenario, how: Pick<Order, 'connections' | 'warmMs' | 'measureMs'>): Promise<Measured>
  stop(): void
}
type Measured = Omit<Window, 'round'>

/** Starts the generator with the shops of a file. A response that is not 200 ends the measurement with an error. */
export function startGenerator(shopsFile: string): Generator {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'generator.ts'), shopsFile], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const nextLine = linesOf(child)
  return {
    stop: () => void child.kill(),
    async measure(form, scenario, how) {
      const keySet = form.name === 'floor' ? null : (`${form.name}-${scenario.gateway}` as const)
      const order: Order = { port: form.ports[scenario.gateway], scenario: scenario.name, keySet, ...how }
      child.stdin?.write(`${JSON.stringify(order)}\n`)
      await nextLine() // It has begun.
      const before = readCpu(await form.processes())
      const seen = JSON.parse(await nextLine()) as Seen
      const cpuUs = cpuPerRequest(before, readCpu(await form.processes()), seen.requests)
      if (Object.keys(seen.statuses).length > 0) {
        throw new Error(`${form.name}, ${scenario.name}: answers were ${JSON.stringify(seen.statuses)}.`)
      }
      return {
        ...{ scenario: scenario.name, connections: how.connections, form: form.name, requests: seen.requests },
        ...{ perSecond: seen.requests / seen.seconds, p50Ms: seen.p50Ms, p99Ms: seen.p99Ms, bytes: seen.bytes },
        ...{ cpuUs, sumUs: Object.values(cpuUs).reduce((sum, us) => sum + us, 0) },
      }
    },
  }
}

function linesOf(child: ChildProcess): () => Promise<string> {
  if (child.stdout === null) throw new Error('The generator has no output.')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async () => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('The generator ended.')
    return value
  }
}
