// Moleculer's NATS transporter with five additions: it reports when the connection is lost and restored; Moleculer learns of both; a node
// that leaves drains its subscriptions, so that it answers the calls that NATS has already delivered to it; it reports a subject that
// NATS refuses to the login; and it reports a connection that the server ended without a reason. Moleculer would read the refusal as a
// message, and nats.js would then read no more.
import { readFileSync } from 'node:fs'
import { Transporters } from 'moleculer'
import { type Authenticator, credsAuthenticator, type NatsConnection, type Subscription } from 'nats'
import type { BusFiles } from '#config/bus-files'

/**
 * Called with what happens to the connection: `failed` with the code of an error of nats.js or Node, `refused` with a subject that the
 * login may not use.
 */
export type ConnectionListener = {
  connected(): void
  disconnected(): void
  failed(code: string): void
  refused(use: string, subject: string): void
  /** The server that accepts this process again had ended its connection without a reason, as it does with a slow consumer. */
  cutOff(): void
}

const READ_BYTES = 64 * 1024
const JOINED_BYTES_MAX = 64 * 1024 // Larger messages are sent at once: nats.js throws where one is larger than NATS accepts.

type Options = ConstructorParameters<typeof Transporters.NATS>[0]

export class NatsTransporter extends Transporters.NATS {
  readonly #listener: ConnectionListener
  readonly #joined: { topic: string; data: Buffer }[] = []

  constructor(options: Options, listener: ConnectionListener) {
    super(options)
    this.#listener = listener
  }

  override async connect(): Promise<void> {
    try {
      await super.connect()
    } catch (error) {
      const { code } = error as { code?: unknown }
      if (typeof code === 'string') this.#listener.failed(code)
      throw error
    }
    this.#listener.connected()
    void this.#watch(this.client as NatsConnection)
  }

  override async subscribe(command: string, nodeID?: string): Promise<void> {
    this.#listen(command, this.getTopicName(command, nodeID))
  }

  override async subscribeBalancedRequest(action: string): Promise<void> {
    this.subscriptions.push(this.#listen('REQ', `${this.prefix}.REQB.${action}`, action))
  }

  override async subscribeBalancedEvent(event: string, group: string): Promise<void> {
    this.subscriptions.push(this.#listen('EVENT', `${this.prefix}.EVENTB.${group}.${event}`, group))
  }

  // All messages of one turn of the event loop go to NATS in one write, because a write is most of the cost of a small message. nats.js
  // joins messages that are published together, so the messages of many requests wait for the end of the turn.
  override send(topic: string, data: Buffer): Promise<void> {
    if (data.length > JOINED_BYTES_MAX) {
      this.#publishJoined()
      return super.send(topic, data)
    }
    if (this.#joined.push({ topic, data }) === 1) setImmediate(() => this.#publishJoined())
    return Promise.resolve()
  }

  override disconnect(): Promise<void> {
    this.#publishJoined()
    return super.disconnect()
  }

  #publishJoined(): void {
    const client = this.client as NatsConnection | null
    for (const { topic, data } of this.#joined.splice(0)) {
      if (client?.isClosed() === false) client.publish(topic, data)
    }
  }

  #listen(command: string, subject: string, queue?: string): Subscription {
    return (this.client as NatsConnection).subscribe(subject, {
      ...(queue === undefined ? {} : { queue }),
      callback: (error, message) => {
        if (error === null) void this.receive(command, ownBytes(message.data))
      },
    })
  }

  // Moleculer calls this when the node announces other services than before, above all none at its end.
  override async unsubscribeFromBalancedCommands(): Promise<void> {
    const subscriptions = this.subscriptions
    this.subscriptions = []
    if (this.connected) await Promise.all(subscriptions.map((subscription) => subscription.drain()))
    else for (const subscription of subscriptions) subscription.unsubscribe()
  }

  async #watch(client: NatsConnection): Promise<void> {
    let serverId = client.info?.server_id
    let hasReason = false
    for await (const { type, data, permissionContext: refused } of client.status()) {
      if (type === 'disconnect') {
        this.connected = false
        this.#listener.disconnected()
      }
      if (type === 'staleConnection' || type === 'ldm' || (type === 'error' && refused === undefined)) hasReason = true
      if (refused !== undefined) this.#listener.refused(refused.operation, refused.subject)
      else if (type === 'error' && typeof data === 'string') this.#listener.failed(data)
      if (type === 'reconnect') {
        this.connected = true
        this.#listener.connected()
        // A server that was restarted has another id; one that finds a client stale or without rights says so before.
        if (!hasReason && client.info?.server_id === serverId) this.#listener.cutOff()
        serverId = client.info?.server_id
        hasReason = false
        // Instead of waiting for the heartbeats of the other nodes. nats.js has restored the subscriptions.
        void this.transit.discoverNodes()
      }
    }
    this.#listener.disconnected()
  }
}

// nats.js reads 64 KB at a time, and a small message must not keep such a buffer. A larger one has memory of its own;
// another copy would only bring the next full collection nearer (docs/performance.md#large-answers).
function ownBytes(data: Uint8Array): Buffer {
  return data.length <= READ_BYTES ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

/**
 * The options of nats.js for servers given as URLs, since nats.js reads neither the login nor the scheme of a URL. A refused
 * login is tried again: the account may not have reached the servers yet. Files are read at each connection.
 */
export function natsServers(servers: string[], { ca, cert, key, creds }: BusFiles = noFiles) {
  const urls = servers.map((server) => new URL(server.includes('://') ? server : `nats://${server}`))
  const [first] = urls
  const user = decodeURIComponent(first?.username ?? '')
  const pass = decodeURIComponent(first?.password ?? '')
  const tls = {
    ...(ca === null ? {} : { caFile: ca }),
    ...(cert === null ? {} : { certFile: cert }),
    ...(key === null ? {} : { keyFile: key }),
  }
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port === '' ? '4222' : port}`),
    ...(user === '' ? {} : { ...(pass === '' ? { token: user } : { user, pass }), ignoreAuthErrorAbort: true }),
    ...(creds === null ? {} : { authenticator: fromFile(creds), ignoreAuthErrorAbort: true }),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls } : {}),
  }
}

const noFiles: BusFiles = { ca: null, cert: null, key: null, creds: null }

// While a file is being replaced, the content that was read last still counts.
function fromFile(creds: string): Authenticator {
  let read = readFileSync(creds)
  return (nonce) => {
    try {
      const renewed = readFileSync(creds)
      const proof = credsAuthenticator(renewed)(nonce)
      read = renewed
      return proof
    } catch {
      return credsAuthenticator(read)(nonce)
    }
  }
}
