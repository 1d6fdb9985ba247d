// What an operator may add to the pods of all services, of one, and of the migration: helm/README.md#what-you-may-add. The values are those
// of ci/overrides-values.yaml.
import { expect, test } from '@jest/globals'
import {
  containerOf,
  names,
  ofKind,
  type PodSpec,
  podOf,
  pods,
  render,
  type Rendered,
  short,
  withChart,
} from '#testing/product/chart'

const services = names.map((name) => ({ name, pod: podOf.bind(null, 'overrides', name) }))

withChart('what is added to a pod', () => {
  test('variables, sources of variables, volumes and init containers are in every service and in the migration', () => {
    const told = pods('overrides').filter(({ kind }) => kind !== 'Pod')
    expect(told).toHaveLength(names.length + 1)
    for (const { owner, pod } of told) {
      const [container] = pod.containers
      const level = { name: 'LOG_LEVEL', valueFrom: { configMapKeyRef: { name: 'levels', key: 'level' } } }
      expect(container?.env).toContainEqual({ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/ca/bundle.pem' })
      expect({ owner, levels: container?.env?.filter(({ name }) => name === 'LOG_LEVEL') }).toEqual({
        owner,
        levels: [level],
      })
      expect(container?.envFrom).toEqual([{ configMapRef: { name: 'regional' } }])
      expect(pod.volumes).toContainEqual({ name: 'ca', configMap: { name: 'ca-bundle' } })
      expect(container?.volumeMounts).toContainEqual({ name: 'ca', mountPath: '/etc/ca', readOnly: true })
      expect(pod.initContainers).toMatchObject([{ name: 'sidecar', restartPolicy: 'Always' }])
    }
  })

  test('a container beside a service is in that one alone, and never in the migration, which would not end', () => {
    const beside = pods('overrides').filter(({ pod }) => pod.containers.length > 1)
    expect(beside.map(({ owner, pod }) => [owner, pod.containers.map(({ name }) => name)])).toEqual([
      ['t-storefront-orders', ['orders', 'exporter']],
    ])
    const all = render([
      '--set',
      'defaults.extraContainers[0].name=beside',
      '--set',
      'defaults.extraContainers[0].image=x',
    ])
    const job = all.find(({ kind }) => kind === 'Job')?.spec as { template: { spec: PodSpec } } | undefined
    expect(job?.template.spec.containers.map(({ name }) => name)).toEqual(['migrate'])
  })

  test('affinity, tolerations and node selectors place every pod; the migration may have a selector of its own', () => {
    const told = pods('overrides')
    expect(told).toHaveLength(names.length + 2) // With the migration and the smoke test.
    for (const { kind, pod } of told) {
      expect(pod).toMatchObject({
        nodeSelector: { pool: kind === 'Job' ? 'jobs' : 'shop' },
        tolerations: [{ key: 'shop', operator: 'Exists' }],
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: expect.anything() } },
      })
    }
  })

  test('constraints of spreading replace the default ones, and select the pods of their service', () => {
    for (const { name, pod } of services) {
      expect(pod().topologySpreadConstraints).toEqual([
        {
          maxSkew: 2,
          topologyKey: 'topology.kubernetes.io/region',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: expect.objectContaining({ 'app.kubernetes.io/component': name }) },
        },
      ])
    }
  })

  test('a security context is merged into the default one, and null leaves a field out', () => {
    const chosen = { runAsNonRoot: true, runAsUser: 1_000_710_000, seccompProfile: { type: 'RuntimeDefault' } }
    for (const { owner, pod } of pods('overrides')) {
      const more = owner.endsWith('-webhooks') ? { supplementalGroups: [4000] } : {}
      expect({ owner, ...pod.securityContext }).toEqual({ owner, ...chosen, ...more })
    }
    expect(containerOf('overrides', 'webhooks').securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      seLinuxOptions: { level: 's0:c1,c2' },
    })
    const of = 'services.orders.podSecurityContext'
    const all = render(['--set', `${of}.runAsUser=null`, '--set', `${of}.fsGroup=7`])
    expect(podIn(all, 'orders')?.securityContext).toEqual({
      runAsNonRoot: true,
      runAsGroup: 10_001,
      fsGroup: 7,
      seccompProfile: { type: 'RuntimeDefault' },
    })
  })

  test('the grace period, annotations and labels of pods, and the priority class', () => {
    for (const { name, pod } of services) {
      const isFront = name === 'rest-gateway'
      expect(pod().terminationGracePeriodSeconds).toBe(isFront ? 90 : 60)
      expect(pod().priorityClassName).toBe(isFront ? 'shop-front' : undefined)
    }
    const templates = [...ofKind('overrides', 'Deployment'), ...ofKind('overrides', 'Job')].map(
      ({ spec }) => spec.template,
    )
    for (const template of templates) {
      expect(template).toMatchObject({
        metadata: { annotations: { 'linkerd.io/inject': 'disabled' }, labels: { team: 'shop' } },
      })
    }
    expect(ofKind('overrides', 'PriorityClass')).toMatchObject([{ metadata: { name: 'shop-front' }, value: 1_000_000 }])
    expect(ofKind('production', 'PriorityClass')).toEqual([]) // Named only.
  })

  test('options of Node are added to those of the image, and a limit above 4 GiB gives the heap half of it', () => {
    const commands = names.map((name) => containerOf('overrides', name).command)
    expect(commands).toEqual(
      names.map((name) => [
        'node',
        ...(name === 'orders' ? ['--max-old-space-size=4096'] : []),
        '--trace-uncaught',
        `services/${name}/main.ts`,
      ]),
    )
    expect(containerOf('overrides', 'orders').env?.map(({ name }) => name)).not.toContain('NODE_OPTIONS')
  })

  test.each([
    ['4Gi', []],
    ['512Mi', []],
    ['4096M', []],
    ['6144Mi', ['--max-old-space-size=3072']],
    ['8G', ['--max-old-space-size=3814']],
    ['8589934592', ['--max-old-space-size=4096']],
  ])('with a limit of %s the command of a service gives the heap %j', (limit, flags) => {
    const all = render(['--set', `defaults.resources.limits.memory=${limit}`])
    expect(podIn(all, 'auth')?.containers[0]?.command).toEqual(['node', ...flags, 'services/auth/main.ts'])
  })
})

function podIn(all: Rendered[], service: string): PodSpec | undefined {
  const found = all.find(({ kind, metadata }) => kind === 'Deployment' && short(metadata.name) === service)
  const template = found?.spec.template as { spec: PodSpec } | undefined
  return template?.spec
}
