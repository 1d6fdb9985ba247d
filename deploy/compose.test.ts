// docker-compose.yml, checked without a container engine: every file, volume and service that it names exists, what it sets is a
// setting, and each service gets what the registry says it needs.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { describeSettings, readConfig } from '#config/config'
import { openSources } from '#network/client-address'
import { registry } from './registry.ts'

type Container = {
  image?: string
  command?: string[]
  user?: string
  read_only?: boolean
  init?: boolean
  cap_drop?: string[]
  environment?: Record<string, string>
  volumes?: string[]
  ports?: string[]
  profiles?: string[]
  depends_on?: Record<string, { condition: string }> | string[]
  healthcheck?: { test: string[] }
  mem_limit?: string
}

const root = join(import.meta.dirname, '..')
const text = read('docker-compose.yml')
const { services, volumes, networks } = parse(text, { merge: true }) as {
  services: Record<string, Container>
  volumes: Record<string, unknown>
  networks: { default: { ipam: { config: { subnet: string }[] } } }
}
const names = registry.map(({ name }) => name)
const containers = Object.entries(services)

describe('docker-compose.yml', () => {
  test('has every service of the registry, and the servers that they need', () => {
    const others = ['postgres', 'nats', 'mail', 'migrate', 'proxy', 'prometheus', 'grafana']
    expect(Object.keys(services).toSorted()).toEqual([...names, ...others].toSorted())
    expect(services.postgres?.image).toBe('postgres:18')
    expect(services.nats?.image).toMatch(/^nats:2\.12/)
  })

  test.each(registry)(
    '$name runs its own program as an unprivileged user, with the settings that it needs only',
    (entry) => {
      const { name, schema, needs } = entry
      const container = services[name]
      expect(container).toMatchObject({ user: '10001:10001', read_only: true, cap_drop: ['ALL'], init: true })
      expect(container?.command).toEqual(['node', `services/${name}/main.ts`])
      const env = filledIn(container?.environment ?? {})
      const known = new Set(describeSettings().map((setting) => setting.name))
      expect(Object.keys(env).filter((one) => !known.has(one))).toEqual([])
      const needed = { database: schema !== null, adminToken: needs.includes('adminToken') }
      const config = readConfig(env, 'service', needed)
      expect(config).toMatchObject({
        port: 3000,
        adminPort: 3100,
        opsPort: 9100,
        natsServers: [`nats://${name}:only-for-development@nats:4222`],
      })
      expect(config.databaseUrl !== null).toBe(needed.database)
      expect(config.adminToken !== null).toBe(needed.adminToken)
      expect('SMTP_URL' in env).toBe(needs.includes('mail'))
    },
  )

  test.each(names)('%s has the memory limit that it has in the chart', (name) => {
    const { defaults } = parse(read('helm/values.yaml')) as { defaults: { resources: { limits: { memory: string } } } }
    expect(`${services[name]?.mem_limit?.toUpperCase()}i`).toBe(defaults.resources.limits.memory)
  })

  test.each(names)('%s is healthy when it is ready', (name) => {
    expect(services[name]?.healthcheck?.test).toEqual([
      'CMD',
      'node',
      'deploy/image/probe.ts',
      'http://127.0.0.1:9100/readyz',
    ])
    expect(existsSync(join(root, 'deploy/image/probe.ts'))).toBe(true)
  })

  test('every file that it mounts or builds from exists, and every volume is declared', () => {
    const mounts = containers
      .flatMap(([, container]) => container.volumes ?? [])
      .map((mount) => mount.split(':')[0] ?? '')
    const files = mounts.filter((source) => source.startsWith('./'))
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
    expect(mounts.filter((source) => !source.startsWith('./')).toSorted()).toEqual(Object.keys(volumes).toSorted())
    expect(existsSync(join(root, 'deploy/image/Dockerfile'))).toBe(true)
  })

  test('a container waits only for containers that exist and have a health check', () => {
    for (const [name, { depends_on = {} }] of containers) {
      if (Array.isArray(depends_on)) continue
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const isFit = condition === 'service_completed_successfully' || services[other]?.healthcheck !== undefined
        expect({ name, other, isFit }).toEqual({ name, other, isFit: true })
      }
    }
  })

  test('only the reverse proxy listens beyond the machine; Prometheus and Grafana are in a profile of their own', () => {
    const open = containers.filter(([, { ports = [] }]) => ports.some((port) => !port.startsWith('127.0.0.1:')))
    expect(open.map(([name]) => name)).toEqual(['proxy'])
    const monitoring = containers.filter(([, { profiles }]) => profiles?.includes('monitoring')).map(([name]) => name)
    expect(monitoring).toEqual(['prometheus', 'grafana'])
  })
})

describe('the reverse proxy', () => {
  test('leads to the public gateways only, on the paths that they serve', () => {
    const conf = read('deploy/reverse-proxy.conf')
    const targets = [...conf.matchAll(/set \$(\w+) http:\/\/([a-z-]+):(\d+)/g)].map(
      ([, , host, port]) => `${host}:${port}`,
    )
    expect(targets).toEqual(['rest-gateway:3000', 'mcp-gateway:3000'])
    const paths = [...conf.matchAll(/location (?:= )?(\S+) \{ proxy_pass \$(\w+)/g)].map(
      ([, path, to]) => `${path} ${to}`,
    )
    expect(paths).toEqual([
      ...[
        '/api/mcp mcp',
        '/api/mcp/ mcp',
        '/oauth/ mcp',
        '/.well-known/oauth-authorization-server mcp',
        '/.well-known/oauth-protected-resource/api/mcp mcp',
        '/api/v1/ rest',
        '/api/v1 rest',
        '/ rest',
        '/docs rest',
        '/docs/ rest',
        '/openapi.json rest',
        '/opt-in rest',
        '/s/ rest',
      ],
    ])
    expect(conf).not.toMatch(/admin|3100|9100/)
  })

  // As nginx fills its variables: $proxy_add_x_forwarded_for appends the client to what the client sent.
  const forwardedFor = (client: string, sent: string) =>
    (/proxy_set_header X-Forwarded-For (.+);/.exec(read('deploy/reverse-proxy.conf'))?.[1] ?? '')
      .replace('$proxy_add_x_forwarded_for', `${sent}, ${client}`)
      .replace('$remote_addr', client)

  test.each(['rest-gateway', 'mcp-gateway'])('%s sees the source that a client has, also a private one', (name) => {
    const { TRUSTED_PROXIES = '' } = filledIn(services[name]?.environment ?? {})
    const sourceOf = openSources(TRUSTED_PROXIES.split(','))
    const [proxy] = (networks.default.ipam.config[0]?.subnet ?? '').replaceAll(/\$\{\w+:-|\}/g, '').split('0/')
    for (const client of ['192.168.1.7', '172.17.0.1', '10.0.0.9', '203.0.113.9']) {
      for (const sent of ['1.2.3.4', '10.0.0.1, 192.168.1.1', '', 'x']) {
        expect(sourceOf(`${proxy}5`, forwardedFor(client, sent))).toBe(client)
      }
      expect(sourceOf(client, '1.2.3.4')).toBe(client)
    }
  })
})

test('Prometheus scrapes the operations port of every service', () => {
  const config = parse(read('deploy/prometheus.yml')) as {
    scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[]
  }
  expect(config.scrape_configs[0]?.dns_sd_configs).toMatchObject([{ names, port: 9100 }])
})

// Replaces ${NAME:-default} by the default, as compose does where NAME is not set.
function filledIn(environment: Record<string, string>): Record<string, string> {
  const fill = (value: string) => value.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1')
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(String(value))]))
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
