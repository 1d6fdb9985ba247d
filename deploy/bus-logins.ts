// The logins of the services on NATS, and what each may publish and hear: docs/spec/internals.md#bus-logins. They follow from
// libs/contracts/calls.ts; `npm run generate` writes them into deploy/nats.conf, and into the chart, which can read no other folder.
//
// How Moleculer uses subjects, with a namespace and its balancer off:
//   REQB.<action>  a request, to a queue group of all nodes that answer the action; lease-of-<node> and large-response-<node> are
//                  actions of one node (libs/contracts/actions/auth.ts, libs/runtime/middlewares/large-response.ts)
//   RES.<node>     the response; a request carries the caller's node
//   EVENT.<node>   an event, to each node that hears it
//   REQ.<node>     a request to one node whatever the action; nobody may send it, since it would pass by REQB
//   INFO, DISCOVER, HEARTBEAT, DISCONNECT, PING, PONG  discovery, to all nodes or to <node>
// A node is <service>.<host, process and number>, so that a service's nodes are one wildcard.
import { answers, calls, events, leaseHolders, type ServiceName } from '#contracts/calls'

type Permissions = { publish: string[]; subscribe: string[] }

const names = Object.keys(calls) as ServiceName[]

/** The `authorization` block of a nats-server; passwords are taken from its environment (`passwordVariable`). */
export function busLogins(namespace = 'storefront'): string {
  const users = names.map((name) => {
    const { publish, subscribe } = permissionsOf(name, `MOL-${namespace}`)
    return [
      `    { user: "${name}", password: $${passwordVariable(name)}, permissions: {`,
      `      publish: { allow: [\n${listed(publish)}      ] }`,
      `      subscribe: { allow: [\n${listed(subscribe)}      ] }`,
      '    } }\n',
    ].join('\n')
  })
  return `authorization {\n  timeout: 5\n  users: [\n${users.join('')}  ]\n}\n`
}

/** The variable of the server's environment that holds the password of a service. */
export function passwordVariable(service: string): string {
  return `NATS_PASSWORD_${service.toUpperCase().replaceAll('-', '_')}`
}

function permissionsOf(name: ServiceName, prefix: string): Permissions {
  const peers = names.filter((other) => isCalledBy(other, name) || isCalledBy(name, other))
  const heard = Object.entries(events).filter(([, { to }]) => to.includes(name))
  const told = Object.values(events).flatMap(({ from, to }) => (from.includes(name) ? to : []))
  const leases = leaseHolders.map((holder) => [holder, `REQB.lease-of-admission-${holder}.*`] as const)
  const publish = [
    ...calls[name].map((action) => `REQB.${action}`),
    ...leases.flatMap(([, subject]) => (name === 'auth' ? [subject] : [])),
    ...peers.flatMap((peer) => [`REQB.large-response-${peer}.*`, `RES.${peer}.*`]),
    ...[...new Set(told)].map((other) => `EVENT.${other}.*`),
    ...['DISCONNECT', 'DISCOVER', 'DISCOVER.*.*', 'HEARTBEAT', 'INFO', 'INFO.*.*', 'PONG.*.*'],
  ]
  const subscribe = [
    ...answers[name].map((action) => `REQB.${action}`),
    ...leases.flatMap(([holder, subject]) => (holder === name ? [subject] : [])),
    `REQB.large-response-${name}.*`,
    ...heard.map(([event]) => `EVENTB.${name}.${event}`),
    ...['DISCONNECT', 'DISCOVER', 'HEARTBEAT', 'INFO', 'PING'],
    ...['DISCOVER', 'EVENT', 'INFO', 'PING', 'PONG', 'REQ', 'RES'].map((packet) => `${packet}.${name}.*`),
  ]
  const prefixed = (subjects: string[]) => subjects.toSorted().map((subject) => `${prefix}.${subject}`)
  return { publish: prefixed(publish), subscribe: prefixed(subscribe) }
}

// Auth calls the holders of leases by the names of their nodes, beside what it lists.
function isCalledBy(name: ServiceName, caller: ServiceName): boolean {
  const called: readonly string[] = calls[caller]
  return called.some((action) => answers[name].includes(action)) || (caller === 'auth' && leaseHolders.includes(name))
}

function listed(subjects: string[]): string {
  return subjects.map((subject) => `        "${subject}"\n`).join('')
}
