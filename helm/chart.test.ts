// The chart, by what it renders: helm lint, helm template with every file of ci/, kubeconform with the vendored schemas, and
// assertions on the objects.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { describeWhere } from '#testing/where-possible'
import { parse, parseAllDocuments } from 'yaml'
import { describeSettings } from '#config/config'
import { findProgram } from '#local-servers/find-program'
import { registry } from '../deploy/registry.ts'
import { residentMbMax } from '../loadtest/memory.ts'

type Json = { [field: string]: unknown }
type Container = {
  name: string
  command?: string[]
  env?: {
    name: string
    value?: string
    valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } }
  }[]
  securityContext: Json
  resources: { requests: Json; limits: Json }
  startupProbe?: Json
  livenessProbe?: Json
  readinessProbe?: Json
  volumeMounts?: { name: string; mountPath: string }[]
}
type PodSpec = { containers: Container[]; initContainers?: Container[]; securityContext: Json } & Json
type Rendered = {
  kind: string
  metadata: { name: string; labels: Record<string, string>; annotations?: Json }
  spec: Json
}

const chart = import.meta.dirname
const root = join(chart, '..')
const path = process.env.PATH ?? ''
const helm = findProgram('helm', path)
const kubeconform = findProgram('kubeconform', path)
const canRun = (helm !== null && kubeconform !== null) || process.env.CI === 'true'
const names = registry.map(({ name }) => name).toSorted()
const cases = ['default', ...readdirSync(join(chart, 'ci')).map((file) => file.replace('-values.yaml', ''))]
const component = 'app.kubernetes.io/component'

describe('without the tools', () => {
  test('every alert has a heading in the runbook, and reads metrics that exist', () => {
    const { groups } = parse(read('helm/rules/storefront.yaml')) as {
      groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[]
    }
    const rules = groups.flatMap((group) => group.rules)
    const headings = [...read('docs/runbook.md').matchAll(/^## (\S+)$/gm)].map((match) => match[1] ?? '')
    expect(headings).toEqual(rules.map(({ alert }) => alert))
    expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
      rules.map(({ alert }) => `docs/runbook.md#${alert.toLowerCase()}`),
    )
    expect(unknownMetrics(rules.map(({ expr }) => expr).join('\n') + read('helm/rules/slo.yaml'))).toEqual([])
  })

  test('every dashboard reads metrics that exist', () => {
    const files = readdirSync(join(chart, 'dashboards'))
    expect(files.toSorted()).toEqual(['budgets.json', 'gateways.json', 'services.json', 'webhooks.json'])
    for (const file of files) {
      const board = JSON.parse(read(`helm/dashboards/${file}`)) as {
        uid: string
        panels: { id: number; title: string; targets: { expr: string }[] }[]
      }
      const panels = board.panels
      expect(board.uid).toBe(`storefront-${file.replace('.json', '')}`)
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
      expect(unknownMetrics(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n'))).toEqual([])
    }
  })
})

const withTools = describeWhere(canRun, 'the chart needs helm and kubeconform on the PATH.')
withTools('the chart', () => {
  test.each(cases)('%s: passes helm lint, and every object fits its schema', (name) => {
    run(helm, ['lint', '--quiet', '--strict', chart, ...valuesOf(name)])
    const location = `${chart}/schemas/{{ .ResourceKind }}{{ .KindSuffix }}.json`
    const summary = run(
      kubeconform,
      ['-strict', '-summary', '-output', 'json', '-schema-location', location],
      text(name),
    )
    expect((JSON.parse(summary) as { summary: Json }).summary).toMatchObject({ invalid: 0, errors: 0, skipped: 0 })
  })

  test.each(cases)('%s: nothing runs as root, writes to its root file system or has a capability', (name) => {
    for (const { owner, pod } of pods(name)) {
      expect({ owner, ...pod.securityContext }).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(Number(pod.securityContext.runAsUser)).toBeGreaterThan(0)
      expect({ owner, token: pod.automountServiceAccountToken, links: pod.enableServiceLinks }).toEqual({
        owner,
        token: false,
        links: false,
      })
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
        expect({ owner, ...container.securityContext }).toEqual({
          owner,
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          capabilities: { drop: ['ALL'] },
        })
      }
    }
  })

  test.each(cases)(
    '%s: every container has requests and limits, and every one of a service its three probes',
    (name) => {
      for (const { owner, kind, pod } of pods(name)) {
        for (const { resources, startupProbe, livenessProbe, readinessProbe } of pod.containers) {
          const given = [...Object.keys(resources.requests), ...Object.keys(resources.limits)]
          expect({ owner, given }).toEqual({ owner, given: ['cpu', 'memory', 'cpu', 'memory'] })
          if (kind === 'Job' || kind === 'Pod') continue
          const probes = [startupProbe, livenessProbe, readinessProbe]
          expect({ owner, probes: probes.filter((probe) => probe !== undefined).length }).toEqual({ owner, probes: 3 })
        }
      }
    },
  )

  test.each(names)('%s requests most of the memory that it may use under load, and no more', (name) => {
    const { requests, limits } = containerOf('default', name).resources
    const requested = Number(/^(\d+)Mi$/.exec(String(requests.memory))?.[1])
    expect(requested).toBeLessThanOrEqual(residentMbMax(name))
    expect(requested).toBeGreaterThanOrEqual(0.75 * residentMbMax(name))
    expect(limits.memory).toBe('4Gi')
  })

  test.each(cases)('%s: there is one Deployment and one Service for each service of the registry', (name) => {
    for (const kind of ['Deployment', 'Service']) {
      const found = ofKind(name, kind).flatMap(({ metadata }) => metadata.labels[component] ?? [])
      expect(found.filter((name) => name !== 'nats').toSorted()).toEqual(names)
    }
  })

  test('each service gets the settings that the registry says it needs, and no other', () => {
    for (const { name, schema, port, needs } of registry) {
      const env = containerOf('production', name).env ?? []
      const has = (setting: string) => env.some((one) => one.name === setting)
      expect({
        name,
        database: has('DATABASE_URL'),
        mail: has('SMTP_URL'),
        adminToken: has('ADMIN_TOKEN'),
        ports: ['PORT', 'ADMIN_PORT'].filter(has),
      }).toEqual({
        name,
        database: schema !== null,
        mail: needs.includes('mail'),
        adminToken: needs.includes('adminToken'),
        ports: port === null ? [] : [port.setting],
      })
    }
  })

  test.each(cases)('%s: every name in an environment is a setting, and no secret is a plain value', (name) => {
    const secrets = [
      'SECRET_KEY',
      'SECRET_KEY_NEXT',
      'SECRET_KEY_PREVIOUS',
      'ADMIN_TOKEN',
      'ADMIN_TOKEN_PREVIOUS',
      'OIDC_CLIENT_SECRET',
      'DATABASE_URL',
      'DATABASE_DIRECT_URL',
      'SMTP_URL',
    ]
    secrets.push('OTEL_EXPORTER_OTLP_HEADERS')
    const inFiles = [...secrets, 'NATS_URL'].map((setting) => `${setting}_FILE`)
    const settings = new Set([...describeSettings().map((setting) => setting.name), ...inFiles])
    for (const { owner, pod } of pods(name)) {
      if (/-(postgresql|nats)$/.test(owner)) continue
      const env = pod.containers.flatMap((container) => container.env ?? [])
      const unknown = env.map((one) => one.name).filter((one) => !settings.has(one))
      const twice = env.map((one) => one.name).filter((one, index, all) => all.indexOf(one) !== index)
      const open = env.filter((one) => secrets.includes(one.name) && one.value !== undefined).map((one) => one.name)
      expect({ owner, unknown, twice, open }).toEqual({ owner, unknown: [], twice: [], open: [] })
    }
  })

  test('with secrets as files no environment holds a secret, and every file that a setting names is mounted', () => {
    const told = pods('files').filter(({ kind }) => kind !== 'Pod')
    expect(told).toHaveLength(names.length + 1)
    for (const { owner, pod } of told) {
      const [container] = pod.containers
      const isNats = (path: string | undefined) => path?.startsWith('/etc/nats/') === true
      const all = (container?.env ?? []).flatMap((one) => (one.name.endsWith('_FILE') ? [one.value] : []))
      const named = all.filter((path) => !isNats(path))
      const [volume] = pod.volumes as { projected: { sources: { secret: { items: { path: string }[] } }[] } }[]
      const files = volume?.projected.sources.flatMap(({ secret }) => secret.items.map((item) => item.path)) ?? []
      expect({ owner, named }).toEqual({ owner, named: files.map((file) => `/etc/storefront/${file}`) })
      expect(container?.volumeMounts).toContainEqual({ name: 'secrets', mountPath: '/etc/storefront', readOnly: true })
      expect({ owner, open: container?.env?.filter((one) => one.valueFrom !== undefined) }).toEqual({ owner, open: [] })
      const needed = owner.endsWith('migrate') ? ['DATABASE_URL'] : ['SECRET_KEY_NEXT', 'SECRET_KEY_PREVIOUS']
      expect(named).toEqual(expect.arrayContaining(needed.map((setting) => `/etc/storefront/${setting}`)))
    }
    for (const name of names) {
      const { env = [], volumeMounts } = containerOf('files', name)
      const [, mounted] = podOf('files', name).volumes as { secret: { items: { key: string; path: string }[] } }[]
      const creds = name === 'orders' ? [['orders.creds', 'NATS_CREDS_FILE']] : []
      const items = [['ca.crt', 'NATS_CA_FILE'], ['tls.crt', 'NATS_CERT_FILE'], ...creds, ['tls.key', 'NATS_KEY_FILE']]
      expect(mounted?.secret.items.map(({ key, path }) => [key, path])).toEqual(items)
      for (const [, path] of items) expect(env).toContainEqual({ name: path, value: `/etc/nats/${path}` })
      expect(volumeMounts).toContainEqual({ name: 'nats', mountPath: '/etc/nats', readOnly: true })
    }
    const [{ pod: orders }] = told.filter(({ owner }) => owner.endsWith('-orders')) as [(typeof told)[number]]
    expect(JSON.stringify(orders.volumes)).toContain('"items":[{"key":"ORDERS_URL","path":"DATABASE_URL"}]')
  })

  test('with a collector every service is traced and may connect to it', () => {
    const policyOf = (name: string) =>
      ofKind(name, 'NetworkPolicy').find(({ metadata }) => metadata.name === 't-storefront-to-collector')?.spec
    expect(cases.filter((name) => policyOf(name) !== undefined)).toEqual(['files'])
    expect(componentsOf(policyOf('files')).toSorted()).toEqual(names)
    for (const name of names) {
      const env = Object.fromEntries((containerOf('files', name).env ?? []).map((one) => [one.name, one.value]))
      expect(env).toMatchObject({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.monitoring.svc:4318',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.1',
      })
      const plain = (containerOf('default', name).env ?? []).map((one) => one.name)
      expect(plain.filter((one) => one.startsWith('OTEL_'))).toEqual([])
    }
  })

  test.each(names)('%s is scaled, updated and evicted independently of the others', (name) => {
    const before = objects('default')
    const after = render([
      ...['--set', `services.${name}.autoscaling.enabled=false`, '--set', `services.${name}.replicas=7`],
      ...['--set', `services.${name}.resources.limits.memory=777Mi`, '--set', `services.${name}.maxUnavailable=3`],
      ...['--set', `services.${name}.priorityClassName=own`, '--set', `services.${name}.env.LOG_LEVEL=debug`],
    ])
    const changed = after.filter((object) => !before.some((one) => JSON.stringify(one) === JSON.stringify(object)))
    expect(changed.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      `PodDisruptionBudget t-storefront-${name}`,
      `Deployment t-storefront-${name}`,
    ])
    const deployment = changed.find(({ kind }) => kind === 'Deployment')
    expect(deployment?.spec).toMatchObject({
      replicas: 7,
      strategy: { rollingUpdate: { maxUnavailable: 0 } },
      template: { spec: { priorityClassName: 'own' } },
    })
    const had = before.filter(({ kind }) => kind === 'HorizontalPodAutoscaler').map(({ metadata }) => metadata.name)
    const has = after.filter(({ kind }) => kind === 'HorizontalPodAutoscaler').map(({ metadata }) => metadata.name)
    expect(had.filter((one) => !has.includes(one))).toEqual(name === 'admin-gateway' ? [] : [`t-storefront-${name}`])
  })

  test.each(names)('%s is not PID 1 of its pod, which its watchdog could not kill', (name) => {
    const { spec } = ofKind('default', 'Deployment').find(({ metadata }) => metadata.name.endsWith(name)) ?? {}
    expect(spec).toMatchObject({ template: { spec: { shareProcessNamespace: true } } })
  })

  test('the back office is in no ingress, and only the admin gateway listens on its port', () => {
    const paths = cases.flatMap((name) =>
      ofKind(name, 'Ingress').flatMap(({ spec }) =>
        (spec.rules as { http: { paths: { path: string; backend: { service: { name: string } } }[] } }[]).flatMap(
          ({ http }) =>
            http.paths.map((one) => `${one.path} ${one.backend.service.name.replace(/^.*?-(?=rest|mcp|admin)/, '')}`),
        ),
      ),
    )
    expect([...new Set(paths)]).toEqual([
      ...['/api/v1 rest-gateway', '/docs rest-gateway', '/opt-in rest-gateway', '/s rest-gateway'],
      ...['/ rest-gateway', '/openapi.json rest-gateway'],
      '/api/mcp mcp-gateway',
      '/oauth mcp-gateway',
      '/.well-known/oauth-protected-resource/api/mcp mcp-gateway',
      '/.well-known/oauth-authorization-server mcp-gateway',
    ])
  })

  test('no pod may connect to another one unless a policy allows it', () => {
    const policies = new Map(
      ofKind('production', 'NetworkPolicy').map(({ metadata, spec }) => [short(metadata.name), spec]),
    )
    expect([...policies.keys()].toSorted()).toEqual([
      ...['back-office', 'default-deny', 'metrics', 'public', 'smoke-test'],
      ...['to-database', 'to-dns', 'to-internet', 'to-nats', 'to-smtp'],
    ])
    expect(policies.get('default-deny')).toMatchObject({ policyTypes: ['Ingress', 'Egress'] })
    expect(policies.get('default-deny')).not.toHaveProperty('egress')
    expect(policies.get('default-deny')).not.toHaveProperty('ingress')
    expect(componentsOf(policies.get('to-internet')).toSorted()).toEqual(['mcp-gateway', 'webhooks']) // Documents of agents.
    expect(componentsOf(policies.get('to-smtp'))).toEqual(['contacts', 'webhooks'])
    expect(componentsOf(policies.get('to-nats')).toSorted()).toEqual(names)
    expect(componentsOf(policies.get('public'))).toEqual(['mcp-gateway', 'rest-gateway'])
    expect(componentsOf(policies.get('back-office'))).toEqual(['admin-gateway'])
    const office = policies.get('back-office') as { ingress: { from: unknown }[] }
    expect(office.ingress.map(({ from }) => from)).toEqual([
      [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'back-office' } } }],
    ])
    const internet = policies.get('to-internet') as { egress: { to: { ipBlock: { except?: string[] } }[] }[] }
    expect(internet.egress[0]?.to[0]?.ipBlock.except).toContain('169.254.0.0/16')
  })

  test('only services with a schema may connect to PostgreSQL', () => {
    const marked = ofKind('default', 'Deployment').filter(
      ({ spec }) => labelsOf(spec)['storefront/database'] === 'true',
    )
    expect(marked.map(({ metadata }) => metadata.labels[component]).toSorted()).toEqual(
      names.filter((name) => registry.some((one) => one.name === name && one.schema !== null)),
    )
  })

  test('in a trial only services with a schema may connect to the database, and only services to NATS', () => {
    const ingress = (end: string) =>
      ofKind('trial', 'NetworkPolicy').find(({ metadata }) => metadata.name === `t-storefront-${end}`)?.spec.ingress
    expect(ingress('postgresql')).toMatchObject([
      { from: [{ podSelector: { matchLabels: { 'storefront/database': 'true' } } }] },
    ])
    expect(ingress('nats')).toMatchObject([{ from: [{ podSelector: { matchExpressions: [{ operator: 'In' }] } }] }])
  })

  test('the migration is a hook before new pods start, or after the first installation of a database in the cluster', () => {
    const hookOf = (name: string) => ofKind(name, 'Job')[0]?.metadata.annotations?.['helm.sh/hook']
    expect([hookOf('default'), hookOf('trial'), hookOf('plain')]).toEqual([
      'pre-install,pre-upgrade',
      'post-install,pre-upgrade',
      undefined,
    ])
  })

  test('with KEDA webhooks scale by queue age, keep what runs while it is unknown, and have no other autoscaler', () => {
    const [scaled] = ofKind('production', 'ScaledObject')
    expect(scaled?.spec.scaleTargetRef).toEqual({ name: 't-storefront-webhooks' })
    expect(unknownMetrics(JSON.stringify(scaled?.spec.triggers))).toEqual([])
    expect(scaled?.spec).toMatchObject({
      fallback: { failureThreshold: 3, replicas: scaled?.spec.minReplicaCount, behavior: 'currentReplicasIfHigher' },
    })
    const [{ metadata } = { metadata: {} }] = (scaled?.spec.triggers ?? []) as { metadata: Json }[]
    expect(metadata).toMatchObject({ ignoreNullValues: 'false', query: expect.stringContaining('release="t"') })
    const scalers = ofKind('production', 'HorizontalPodAutoscaler').map(({ metadata }) => metadata.labels[component])
    expect(scalers).not.toContain('webhooks')
  })

  test('the pods of one version of a service are spread over zones and nodes', () => {
    const { topologySpreadConstraints } = podOf('production', 'orders') as unknown as {
      topologySpreadConstraints: { topologyKey: string; whenUnsatisfiable: string; matchLabelKeys: string[] }[]
    }
    expect(topologySpreadConstraints).toMatchObject([
      {
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        matchLabelKeys: ['pod-template-hash'],
      },
      { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' },
    ])
  })

  test('each service uses the database login that its values name', () => {
    const keys = names.flatMap((name) => {
      const found = containerOf('production', name).env?.find((one) => one.name === 'DATABASE_URL')
      return found?.valueFrom?.secretKeyRef.key ?? []
    })
    expect(keys).toEqual(['AUTH_URL', 'CATALOG_URL', 'CONTACTS_URL', 'ORDERS_URL', 'SUBSCRIPTIONS_URL', 'WEBHOOKS_URL'])
  })

  test('an invalid value is refused, and the message names it', () => {
    expect(() => render(['--set', 'services.orderz.replicas=2'])).toThrow(/orderz/)
    expect(() => render(['--set', 'env.NATS_URL=nats://x'])).toThrow(/NATS_URL/)
    expect(() => render(['--set', 'defaults.replicas=0'])).toThrow(/replicas/)
    expect(() => render(['--set', 'tracing.endpoint=collector:4318'])).toThrow(/endpoint/)
    expect(() => render(['--set', 'tracing.ratio=2'])).toThrow(/ratio/)
  })

  test('every program that a pod runs exists', () => {
    for (const { pod } of cases.flatMap((name) => pods(name))) {
      for (const { command } of pod.containers) {
        if (command?.[0] === 'node') expect(read(command[1] ?? '')).not.toBe('')
      }
    }
  })
})

const rendered = new Map<string, string>()

function text(name: string): string {
  const known = rendered.get(name) ?? template(valuesOf(name))
  rendered.set(name, known)
  return known
}

function template(args: string[]): string {
  return run(helm, ['template', 't', chart, '--kube-version', '1.34.0', ...args])
}

function render(args: string[]): Rendered[] {
  return objectsIn(template(args))
}

function objects(name: string): Rendered[] {
  return objectsIn(text(name))
}

function objectsIn(yaml: string): Rendered[] {
  return parseAllDocuments(yaml)
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null)
}

function valuesOf(name: string): string[] {
  return name === 'default' ? [] : ['--values', join(chart, `ci/${name}-values.yaml`)]
}

function ofKind(name: string, kind: string): Rendered[] {
  return objects(name).filter((object) => object.kind === kind)
}

function pods(name: string): { owner: string; kind: string; pod: PodSpec }[] {
  return objects(name).flatMap(({ kind, metadata, spec }) => {
    if (kind === 'Pod') return { owner: metadata.name, kind, pod: spec as PodSpec }
    const template = spec?.template as { spec: PodSpec } | undefined
    return template === undefined ? [] : { owner: metadata.name, kind, pod: template.spec }
  })
}

function podOf(name: string, service: string): PodSpec {
  const found = pods(name).find(({ owner }) => owner === `t-storefront-${service}`)
  if (found === undefined) throw new Error(`${service} is not rendered.`)
  return found.pod
}

function containerOf(name: string, service: string): Container {
  const [container] = podOf(name, service).containers
  if (container === undefined) throw new Error(`${service} has no container.`)
  return container
}

function labelsOf(spec: Json): Record<string, string> {
  return (spec.template as { metadata: { labels: Record<string, string> } }).metadata.labels
}

function componentsOf(policy: Json | undefined): string[] {
  const { podSelector } = policy as { podSelector: { matchExpressions: { values: string[] }[] } }
  return podSelector.matchExpressions[0]?.values ?? []
}

function short(name: string): string {
  return name.replace('t-storefront-', '')
}

// Metrics that the code does not define: others come from prom-client, and `up` from Prometheus itself.
function unknownMetrics(expressions: string): string[] {
  const files = ['libs/telemetry/metrics.ts', 'services/webhooks/delivery/metrics.ts', 'services/auth/measures.ts']
  const code = files.map(read).join('')
  const own = [...code.matchAll(/name: '(storefront_\w+)'/g)].map((match) => match[1] ?? '')
  const used = expressions.match(/\b(storefront|nodejs|process)_\w+/g) ?? []
  const known = new Set([
    ...own,
    'nodejs_eventloop_lag_p99_seconds',
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
  ])
  return used.filter((name) => !known.has(name.replace(/_(count|bucket|sum)$/, '')))
}

function run(program: string | null, args: string[], input?: string): string {
  if (program === null) throw new Error('helm and kubeconform are not on the PATH; .ci/run installs them.')
  return execFileSync(program, args, { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] })
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
