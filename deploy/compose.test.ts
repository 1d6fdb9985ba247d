// Proves docker-compose.yml where no engine can start it: what it names exists, what it sets is a setting, and each service
// gets what its code needs.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { describeSettings, readConfig } from '#config/config'
import type { ServiceDefinition } from '#runtime/service'

type Piece = {
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
}

const root = join(import.meta.dirname, '..')
const text = read('docker-compose.yml')
const { services, volumes } = parse(text, { merge: true }) as {
  services: Record<string, Piece>
  volumes: Record<string, unknown>
}
const names = readdirSync(join(root, 'services'))
const pieces = Object.entries(services)

describe('docker-compose.yml', () => {
  test('has every service of the product, and the ground it stands on', () => {
    const others = ['postgres', 'nats', 'mail', 'migrate', 'edge', 'prometheus', 'grafana']
    expect(Object.keys(services).toSorted()).toEqual([...names, ...others].toSorted())
    expect(services.postgres?.image).toBe('postgres:18')
    expect(services.nats?.image).toMatch(/^nats:2\.12/)
  })

  test.each(names)('%s: is started by its own file, as nobody, with its settings, and nothing else', async (name) => {
    const piece = services[name]
    const service = await serviceOf(name)
    expect(piece).toMatchObject({ user: '10001:10001', read_only: true, cap_drop: ['ALL'], init: true })
    expect(piece?.command).toEqual(['node', `services/${name}/main.ts`])
    const env = filledIn(piece?.environment ?? {})
    const known = new Set(describeSettings().map((setting) => setting.name))
    expect(Object.keys(env).filter((one) => !known.has(one))).toEqual([])
    const needs = { database: service.storage !== null, adminToken: service.needsAdminToken }
    const config = readConfig(env, 'service', needs)
    expect(config).toMatchObject({ port: 3000, adminPort: 3100, opsPort: 9100, natsServers: ['nats://nats:4222'] })
    expect(config.databaseUrl !== null).toBe(needs.database)
    expect(config.adminToken !== null).toBe(needs.adminToken)
  })

  test.each(names)('%s: is healthy when it is ready', (name) => {
    expect(services[name]?.healthcheck?.test).toEqual([
      'CMD',
      'node',
      'deploy/image/probe.ts',
      'http://127.0.0.1:9100/readyz',
    ])
    expect(existsSync(join(root, 'deploy/image/probe.ts'))).toBe(true)
  })

  test('every file that it mounts or builds from exists, every volume is declared', () => {
    const mounts = pieces.flatMap(([, piece]) => piece.volumes ?? []).map((mount) => mount.split(':')[0] ?? '')
    const files = mounts.filter((source) => source.startsWith('./'))
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
    expect(mounts.filter((source) => !source.startsWith('./')).toSorted()).toEqual(Object.keys(volumes).toSorted())
    expect(existsSync(join(root, 'deploy/image/Dockerfile'))).toBe(true)
  })

  test('whatever waits, waits for something that is there and says when it is well', () => {
    for (const [name, { depends_on = {} }] of pieces) {
      if (Array.isArray(depends_on)) continue
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const isFit = condition === 'service_completed_successfully' || services[other]?.healthcheck !== undefined
        expect({ name, other, isFit }).toEqual({ name, other, isFit: true })
      }
    }
  })

  test('only the edge listens beyond the machine; Prometheus and Grafana come when they are asked for', () => {
    const open = pieces.filter(([, { ports = [] }]) => ports.some((port) => !port.startsWith('127.0.0.1:')))
    expect(open.map(([name]) => name)).toEqual(['edge'])
    const asked = pieces.filter(([, { profiles }]) => profiles?.includes('watching')).map(([name]) => name)
    expect(asked).toEqual(['prometheus', 'grafana'])
  })
})

describe('the edge', () => {
  test('leads to the two public gateways only, on the paths that they answer', () => {
    const conf = read('deploy/edge.conf')
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
        '/api/v1/ rest',
        '/api/v1 rest',
        '/openapi.json rest',
        '/opt-in rest',
        '/s/ rest',
      ],
    ])
    expect(conf).not.toMatch(/admin|3100|9100/)
  })

  test('its address is one whose X-Forwarded-For the gateways believe', () => {
    for (const name of ['rest-gateway', 'mcp-gateway']) {
      expect(services[name]?.environment?.TRUSTED_PROXIES).toContain('172.16.0.0/12')
    }
  })
})

test('Prometheus reads every service', () => {
  const config = parse(read('deploy/prometheus.yml')) as {
    scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[]
  }
  const [{ names: scraped, port } = { names: [], port: 0 }] = config.scrape_configs[0]?.dns_sd_configs ?? []
  expect(scraped.toSorted()).toEqual(names.toSorted())
  expect(port).toBe(9100)
})

async function serviceOf(name: string): Promise<ServiceDefinition> {
  const module = (await import(`../services/${name}/service.ts`)) as Record<string, ServiceDefinition>
  const service = Object.values(module).find((one) => one.name === name)
  if (service === undefined) throw new Error(`services/${name}/service.ts gives no service of that name.`)
  return service
}

// ${NAME:-default} as compose fills it in where nothing is set.
function filledIn(environment: Record<string, string>): Record<string, string> {
  const fill = (value: string) => value.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1')
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(String(value))]))
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
