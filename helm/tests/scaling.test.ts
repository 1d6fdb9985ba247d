// How the services are scaled and spread.
import { expect, test } from '@jest/globals'
import { component, names, objects, ofKind, podOf, render, withChart, type Json } from '#testing/product/chart'
import { unknownMetrics } from './metrics.ts'

withChart('scaling', () => {
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
})
