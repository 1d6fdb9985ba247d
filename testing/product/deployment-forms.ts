// The two forms in which the product is tested, one process and distributed over NATS; one line on stderr says so when NATS is missing
// (docs/spec/running.md#commands).
import { findNatsServer } from '#local-servers/nats-server'
import { startBus } from '../../deploy/dev/bus.ts'

export type Form = 'one-process' | 'distributed'
export type Bus = { serversOf(service: string): string[]; stop(): Promise<void> }

const program = findNatsServer(process.env.PATH ?? '')
const natsUrl = process.env.NATS_URL || null

/** For `describe.each`: both forms, or the one that can run here. */
export const forms: Form[] = testable()

/** A bus for one test: the given one, else a server of its own on which each service has its login. */
export async function openBus(namespace: string): Promise<Bus> {
  if (natsUrl !== null) return { serversOf: () => natsUrl.split(','), stop: async () => undefined }
  if (program === null)
    throw new Error('There is no NATS for the distributed form: set NATS_URL or install nats-server.')
  const bus = await startBus(program, namespace)
  return { serversOf: (service) => [bus.urlOf(service)], stop: () => bus.stop() }
}

function testable(): Form[] {
  if (natsUrl !== null || program !== null || process.env.CI === 'true') return ['one-process', 'distributed']
  process.stderr.write('\n*** NATS IS MISSING: the distributed form is not tested. Install nats-server. ***\n\n')
  return ['one-process']
}
