// The environment of each service: docs/spec/running.md#environment, and the secrets behind it.
import { expect, test } from '@jest/globals'
import { cases, containerOf, names, podOf, pods, withChart } from '#testing/product/chart'
import { describeSettings } from '#config/config'
import { registry } from '../../deploy/registry.ts'

withChart('the settings of a service', () => {
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
    if (name === 'overrides') settings.add('NODE_EXTRA_CA_CERTS') // By extraEnv.
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

  test('each service uses the database login that its values name', () => {
    const keys = names.flatMap((name) => {
      const found = containerOf('production', name).env?.find((one) => one.name === 'DATABASE_URL')
      return found?.valueFrom?.secretKeyRef.key ?? []
    })
    expect(keys).toEqual(['AUTH_URL', 'CATALOG_URL', 'CONTACTS_URL', 'ORDERS_URL', 'SUBSCRIPTIONS_URL', 'WEBHOOKS_URL'])
  })
})
