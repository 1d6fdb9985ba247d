// Every object that the chart renders: its schema, its security, its resources.
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import {
  cases,
  chart,
  component,
  containerOf,
  helm,
  kubeconform,
  names,
  ofKind,
  pods,
  read,
  render,
  run,
  text,
  valuesOf,
  withChart,
  type Json,
} from '#testing/product/chart'
import { residentMbMax } from '../../loadtest/memory.ts'

withChart('every object', () => {
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
        expect({ owner, ...container.securityContext, seLinuxOptions: undefined }).toEqual({
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
    expect(limits.memory).toBe('1Gi')
  })

  test.each(cases)('%s: there is one Deployment and one Service for each service of the registry', (name) => {
    for (const kind of ['Deployment', 'Service']) {
      const own = ofKind(name, kind).filter(({ metadata }) => !metadata.name.endsWith('-external'))
      const found = own.flatMap(({ metadata }) => metadata.labels[component] ?? [])
      expect(found.filter((name) => name !== 'nats').toSorted()).toEqual(names)
    }
  })

  test.each(names)('%s is not PID 1 of its pod, which its watchdog could not kill', (name) => {
    const { spec } = ofKind('default', 'Deployment').find(({ metadata }) => metadata.name.endsWith(name)) ?? {}
    expect(spec).toMatchObject({ template: { spec: { shareProcessNamespace: true } } })
  })

  test('the migration is a hook before new pods start, or after the first installation of a database in the cluster', () => {
    const hookOf = (name: string) => ofKind(name, 'Job')[0]?.metadata.annotations?.['helm.sh/hook']
    expect([hookOf('default'), hookOf('trial'), hookOf('plain')]).toEqual([
      'pre-install,pre-upgrade',
      'post-install,pre-upgrade',
      undefined,
    ])
  })

  test('each field of the defaults is one that a service may override, and the other way round', () => {
    const { defaults } = parse(read('helm/values.yaml')) as { defaults: object }
    const { $defs } = JSON.parse(read('helm/values.schema.json')) as { $defs: { service: { properties: object } } }
    expect(Object.keys(defaults).toSorted()).toEqual(Object.keys($defs.service.properties).toSorted())
  })

  test('an invalid value is refused, and the message names it', () => {
    expect(() => render(['--set', 'services.orderz.replicas=2'])).toThrow(/orderz/)
    expect(() => render(['--set', 'services.orders.afinity.nodeAffinity=null'])).toThrow(/afinity/)
    expect(() => render(['--set', 'migration.extraContainers[0].name=a'])).toThrow(/extraContainers/)
    expect(() => render(['--set', 'env.NATS_URL=nats://x'])).toThrow(/NATS_URL/)
    expect(() => render(['--set', 'defaults.replicas=0'])).toThrow(/replicas/)
    expect(() => render(['--set', 'tracing.endpoint=collector:4318'])).toThrow(/endpoint/)
    expect(() => render(['--set', 'tracing.ratio=2'])).toThrow(/ratio/)
  })

  test('every program that a pod runs exists', () => {
    for (const { pod } of cases.flatMap((name) => pods(name))) {
      for (const { command } of pod.containers) {
        if (command?.[0] === 'node') expect(read(command.find((word) => word.endsWith('.ts')) ?? '')).not.toBe('')
      }
    }
  })
})
