// Who may connect to whom: the public paths, and the network policies.
import { expect, test } from '@jest/globals'
import {
  cases,
  component,
  componentsOf,
  containerOf,
  labelsOf,
  names,
  ofKind,
  short,
  withChart,
} from '#testing/product/chart'
import { registry } from '../../deploy/registry.ts'

withChart('the network', () => {
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
})
