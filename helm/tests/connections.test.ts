// How the pods reach PostgreSQL and NATS, and how callers reach the pods: logins, certificates, external secrets, poolers, services, the
// ingress and the HTTPRoute. The values are those of ci/overrides-values.yaml.
import { expect, test } from '@jest/globals'
import { containerOf, names, ofKind, podOf, pods, render, short, withChart } from '#testing/product/chart'
import { registry } from '../../deploy/registry.ts'

const secretOf = (name: string, setting: string) =>
  containerOf('overrides', name).env?.find((one) => one.name === setting)?.valueFrom?.secretKeyRef
const withSchema = registry.filter(({ schema }) => schema !== null).map(({ name }) => name)

withChart('connections', () => {
  test('each service uses the logins of its own secrets for PostgreSQL and NATS, else those of all', () => {
    for (const name of withSchema) {
      const isOwn = name === 'orders'
      const secret = isOwn ? 'storefront-orders' : 'storefront'
      expect(secretOf(name, 'DATABASE_URL')).toEqual({ name: secret, key: isOwn ? 'uri' : 'POOLER_URL' })
      expect(secretOf(name, 'DATABASE_DIRECT_URL')).toEqual({ name: secret, key: isOwn ? 'direct' : 'DIRECT_URL' })
      const bus = isOwn ? { name: 'bus-orders', key: 'url' } : { name: 'storefront', key: 'NATS_URL' }
      expect(secretOf(name, 'NATS_URL')).toEqual(bus)
    }
  })

  test('with a pooler the migration goes past it, and both ports are open to pods with a schema', () => {
    const urlOf = (args: string[]) => {
      const job = JSON.stringify(render(args).find(({ kind }) => kind === 'Job'))
      return /"key":"(\w+)","name":"storefront"/.exec(job)?.[1]
    }
    expect(urlOf(['--set', 'database.directKey=DIRECT'])).toBe('DIRECT')
    expect(urlOf(['--set', 'database.directKey=DIRECT', '--set', 'database.migrationKey=OWNER'])).toBe('OWNER')
    const policy = ofKind('overrides', 'NetworkPolicy').find(({ metadata }) => short(metadata.name) === 'to-database')
    expect(policy?.spec.egress).toEqual([
      {
        ports: [
          { protocol: 'TCP', port: 5432 },
          { protocol: 'TCP', port: 6432 },
        ],
      },
    ])
  })

  test('certificates for PostgreSQL and NATS are mounted where the settings name them, those of a service from its own secret', () => {
    const told = pods('overrides').filter(({ kind }) => kind !== 'Pod')
    for (const { owner, pod } of told) {
      const name = short(owner)
      const needed = [
        ...(withSchema.includes(name) || name === 'migrate' ? [{ volume: 'postgresql', setting: 'DATABASE' }] : []),
        ...(name === 'migrate' ? [] : [{ volume: 'nats', setting: 'NATS' }]),
      ]
      const files = needed.flatMap(({ volume, setting }) =>
        ['CA', 'CERT', 'KEY'].map((one) => ({ volume, path: `${setting}_${one}_FILE` })),
      )
      const [container] = pod.containers
      const named = container?.env?.filter((one) => one.value?.startsWith(`/etc/`) && one.name.endsWith('_FILE'))
      expect({ owner, named }).toEqual({
        owner,
        named: files.map(({ volume, path }) => ({ name: path, value: `/etc/${volume}/${path}` })),
      })
      for (const { volume, setting } of needed) {
        expect(container?.volumeMounts).toContainEqual({ name: volume, mountPath: `/etc/${volume}`, readOnly: true })
        const all = volume === 'nats' ? 'bus-tls' : 'database-tls'
        const own = volume === 'nats' ? 'bus-orders-tls' : 'orders-tls'
        const [mounted] = (pod.volumes as { name: string; secret: object }[]).filter((one) => one.name === volume)
        expect(mounted?.secret).toMatchObject({
          secretName: name === 'orders' ? own : all,
          items: [
            { key: 'ca.crt', path: `${setting}_CA_FILE` },
            { key: 'tls.crt', path: `${setting}_CERT_FILE` },
            { key: 'tls.key', path: `${setting}_KEY_FILE` },
          ],
        })
      }
    }
  })

  test('external secrets make the secrets that the services use, and the first migration waits until they are there', () => {
    const made = ofKind('overrides', 'ExternalSecret').map(({ metadata, spec }) => [metadata.name, spec])
    const store = { name: 'vault', kind: 'ClusterSecretStore' }
    expect(Object.fromEntries(made)).toMatchObject({
      storefront: {
        secretStoreRef: store,
        target: { name: 'storefront' },
        dataFrom: [{ extract: { key: 'shop/storefront' } }],
      },
      'storefront-orders': { secretStoreRef: store, data: [{ secretKey: 'uri' }, { secretKey: 'direct' }] },
    })
    expect(secretOf('auth', 'SECRET_KEY')?.name).toBe('storefront')
    expect(ofKind('overrides', 'Job')[0]?.metadata.annotations?.['helm.sh/hook']).toBe('post-install,pre-upgrade')
    const secret = 'externalSecrets.secrets.storefront.dataFrom[0].extract.key=a'
    expect(() => render(['--set', secret])).toThrow(/secretStoreRef/)
  })

  test('the pods use the service account that is named, with its annotations; the migration uses only one that is there', () => {
    const accountsOf = (args: string[]) => {
      const all = render(args)
      const own = all.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name)
      const used = all.flatMap(({ kind, spec }) =>
        kind === 'Deployment' || kind === 'Job'
          ? [`${kind} ${String((spec.template as { spec: { serviceAccountName?: string } }).spec.serviceAccountName)}`]
          : [],
      )
      return { own, used: [...new Set(used)] }
    }
    const annotations = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/shop' }
    expect(ofKind('overrides', 'ServiceAccount')).toMatchObject([{ metadata: { name: 'shop', annotations } }])
    for (const name of names) expect(podOf('overrides', name).serviceAccountName).toBe('shop')
    const there = ['--set', 'serviceAccount.create=false', '--set', 'serviceAccount.name=there']
    expect(accountsOf(there)).toEqual({ own: [], used: ['Deployment there', 'Job there'] })
    expect(accountsOf([])).toEqual({ own: ['t-storefront'], used: ['Deployment t-storefront', 'Job undefined'] })
  })

  test('a type of service other than ClusterIP is a Service of its own, without the operations port; others take the annotations', () => {
    const found = ofKind('overrides', 'Service').map(({ metadata, spec }) => ({
      name: short(metadata.name),
      type: spec.type,
      ports: (spec.ports as { port: number }[]).map(({ port }) => port),
      annotations: metadata.annotations,
    }))
    const internal = { 'service.beta.kubernetes.io/aws-load-balancer-scheme': 'internal' }
    expect(found).toContainEqual({
      name: 'rest-gateway-external',
      type: 'LoadBalancer',
      ports: [3000],
      annotations: internal,
    })
    expect(found).toContainEqual({
      name: 'rest-gateway',
      type: 'ClusterIP',
      ports: [3000, 9100],
      annotations: undefined,
    })
    expect(found.find(({ name }) => name === 'admin-gateway')?.annotations).toEqual({ owner: 'office' })
    expect(found.filter(({ type }) => type !== 'ClusterIP')).toHaveLength(1)
    expect(() => render(['--set', 'services.orders.service.type=NodePort'])).toThrow(/orders.*only a gateway/)
  })

  test('the HTTPRoute has the hosts, the parents and the paths of the ingress', () => {
    const [ingress] = ofKind('overrides', 'Ingress')
    const [route] = ofKind('overrides', 'HTTPRoute')
    type Rule = { http: { paths: { path: string; pathType: string; backend: { service: { name: string } } }[] } }
    const [rule] = (ingress?.spec.rules ?? []) as Rule[]
    const ofIngress = rule?.http.paths.map(({ path, pathType, backend }) => [path, pathType, backend.service.name])
    type Match = { path: { type: string; value: string } }
    const rules = route?.spec.rules as { matches: Match[]; backendRefs: { name: string }[] }[]
    const ofRoute = rules.flatMap(({ matches, backendRefs }) =>
      matches.map(({ path }) => [path.value, path.type.replace('PathPrefix', 'Prefix'), backendRefs[0]?.name]),
    )
    expect(ofRoute).toEqual(ofIngress)
    expect(route?.metadata.annotations).toEqual({ owner: 'shop' })
    expect(route?.spec).toMatchObject({
      hostnames: ['shop.example'],
      parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
    })
    expect(() => render(['--set', 'httpRoute.enabled=true'])).toThrow(/parentRefs/)
    const alone = ['--set', 'httpRoute.enabled=true', '--set', 'httpRoute.parentRefs[0].name=a']
    const env = JSON.stringify(render([...alone, '--set', 'httpRoute.hostnames[0]=b.example']))
    expect(env).toContain('{"name":"PUBLIC_URL","value":"https://b.example"}')
  })

  test('the ingress and the HTTPRoute wait longer than the 60 s that a call of a tool may take', () => {
    const [ingress] = ofKind('production', 'Ingress')
    expect(ingress?.metadata.annotations).toEqual({
      'cert-manager.io/cluster-issuer': 'letsencrypt',
      'haproxy-ingress.github.io/timeout-server': '75s',
      'haproxy.org/timeout-server': '75s',
      'nginx.ingress.kubernetes.io/proxy-read-timeout': '75',
    })
    const own = 'nginx.ingress.kubernetes.io/proxy-read-timeout'
    expect(ofKind('overrides', 'Ingress')[0]?.metadata.annotations?.[own]).toBe('120')
    const rules = ofKind('overrides', 'HTTPRoute')[0]?.spec.rules as { timeouts: unknown }[]
    expect(rules.map(({ timeouts }) => timeouts)).toEqual([
      { request: '75s', backendRequest: '75s' },
      { request: '75s', backendRequest: '75s' },
    ])
    expect(() => render(['--set', 'ingress.timeoutSeconds=60'])).toThrow(/timeoutSeconds/)
  })
})
