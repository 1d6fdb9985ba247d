// The Moleculer broker of a process: its options and middlewares (docs/spec/internals.md#broker-settings).
import { type BrokerOptions, Errors, type Middleware, Serializers, ServiceBroker } from 'moleculer'
import type { BusFiles } from '#config/bus-files'
import { isRefusalCode, Refusal } from '#contracts/errors'
import { type ConnectionListener, NatsTransporter, natsServers } from './nats-transporter.ts'

/** Services that one broker announces together are announced this long after the first of them. */
export const ANNOUNCE_MS = 50
const DEPENDENCY_TIMEOUT_MS = 60_000
const DEPENDENCY_INTERVAL_MS = 20

type Options = {
  nodeId: string
  namespace: string
  /** Null: all calls stay in this process. */
  servers: string[] | null
  files?: BusFiles
  listener: ConnectionListener
  /** The first is the innermost. */
  middlewares: Middleware[]
}

/** A broker that is not started yet. */
export function createBroker({ nodeId, namespace, servers, files, listener, middlewares }: Options): ServiceBroker {
  return new ServiceBroker({
    nodeID: nodeId,
    namespace,
    middlewares,
    logger: false,
    internalServices: false,
    validator: false,
    skipProcessEventRegistration: true,
    errorRegenerator: new RefusalRegenerator(),
    requestTimeout: 3_000,
    dependencyTimeout: DEPENDENCY_TIMEOUT_MS,
    dependencyInterval: DEPENDENCY_INTERVAL_MS,
    tracking: { enabled: true, shutdownTimeout: 10_000 },
    heartbeatInterval: 2,
    heartbeatTimeout: 6,
    ...(servers === null ? {} : overNats(nodeId, natsServers(servers, files), listener)),
  })
}

function overNats(nodeId: string, bus: ReturnType<typeof natsServers>, listener: ConnectionListener): BrokerOptions {
  const transit = { serviceChangedDebounceTime: ANNOUNCE_MS, maxQueueSize: 2_000 } // The first is not in Moleculer's types.
  return {
    serializer: new Serializers.CBOR(),
    disableBalancer: true, // NATS distributes the calls by its queue groups.
    transit,
    transporter: new NatsTransporter(
      {
        ...bus,
        name: nodeId,
        reconnectTimeWait: 250,
        pingInterval: 1_000,
        maxPingOut: 2,
        maxReconnectAttempts: -1,
      },
      listener,
    ),
  }
}

/** Restores refusals that arrive over the bus as the class that they were thrown as. */
class RefusalRegenerator extends Errors.Regenerator {
  override restoreCustomError(
    ...[{ name, message, type, data }]: Parameters<Errors.Regenerator['restoreCustomError']>
  ) {
    const isRefusal = name === 'Refusal' && isRefusalCode(type)
    // Moleculer restores other errors by itself where this returns null, which its types do not say.
    return (isRefusal ? new Refusal(type, message, data) : undefined) as Error
  }
}
