// What becomes of the replicas that run when an autoscaler takes a service over. Helm looks at the cluster for it, here at a server that
// answers what an API server answers to these questions.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { chart, helm, type Json, objectsIn, withChart } from '#testing/product/chart'

const run = promisify(execFile)
const resources = (groupVersion: string, name: string, kind: string) => ({
  kind: 'APIResourceList',
  groupVersion,
  resources: [{ name, singularName: '', namespaced: true, kind, verbs: ['get', 'list'] }],
})
const group = (name: string, version: string) => {
  const of = { groupVersion: `${name}/${version}`, version }
  return { name, versions: [of], preferredVersion: of }
}
const discovery: Record<string, Json> = {
  '/version': { major: '1', minor: '34', gitVersion: 'v1.34.0' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', groups: [group('apps', 'v1'), group('autoscaling', 'v2')] },
  '/api/v1': resources('v1', 'secrets', 'Secret'),
  '/apis/apps/v1': resources('apps/v1', 'deployments', 'Deployment'),
  '/apis/autoscaling/v2': resources('autoscaling/v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler'),
}
const deploymentAt = '/apis/apps/v1/namespaces/default/deployments/t-storefront-orders'
const scalerAt = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/t-storefront-orders'
const deployment = (replicas: number, annotations: Json = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 't-storefront-orders', namespace: 'default', annotations },
  spec: { replicas },
})
const scaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 't-storefront-orders' },
}
const kept = { 'storefront/replicas': 'kept' }

withChart('the replicas of a service with an autoscaler', () => {
  let server: Server
  let cluster: Record<string, Json> = {}

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://cluster')
      const found = discovery[pathname] ?? cluster[pathname]
      const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }
      response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(found ?? missing))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => {
    server?.close()
  })

  /** The replicas in the manifest of an upgrade of a release that is in the cluster, and the annotations beside them. */
  async function upgraded(found: Record<string, Json>, ...args: string[]) {
    cluster = found
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { stdout } = await run(helm ?? '', [
      ...['template', 't', chart, '--dry-run=server', '--is-upgrade', '--kube-apiserver', address],
      ...['--kube-version', '1.34.0', ...args],
    ])
    const own = objectsIn(stdout).find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-orders'),
    )
    return { replicas: own?.spec.replicas, annotations: own?.metadata.annotations }
  }

  test('from a fixed number on they stay as many as run, at this upgrade and at each one after it', async () => {
    const fixed = { [deploymentAt]: deployment(7) }
    expect(await upgraded(fixed)).toEqual({ replicas: 7, annotations: kept })
    const later = { [deploymentAt]: deployment(9, kept), [scalerAt]: scaler }
    expect(await upgraded(later)).toEqual({ replicas: 9, annotations: kept })
  })

  test('a release that began with the autoscaler leaves the number to it', async () => {
    const scaled = { [deploymentAt]: deployment(9), [scalerAt]: scaler }
    expect(await upgraded(scaled)).toEqual({ replicas: undefined, annotations: undefined })
    expect(await upgraded({})).toEqual({ replicas: undefined, annotations: undefined })
  })

  test('back to a fixed number that is the number', async () => {
    const scaled = { [deploymentAt]: deployment(9, kept), [scalerAt]: scaler }
    const off = ['--set', 'services.orders.autoscaling.enabled=false', '--set', 'services.orders.replicas=3']
    expect(await upgraded(scaled, ...off)).toEqual({ replicas: 3, annotations: undefined })
  })
})
