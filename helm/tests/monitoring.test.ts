// The alerts and dashboards, against the runbook and the metrics that the code defines.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { chart, objects, ofKind, read, render, type Rendered, withChart } from '#testing/product/chart'
import { selectorsOf, unknownMetrics } from './metrics.ts'

describe('signals', () => {
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

type Panels = { panels: { targets: { expr: string }[] }[]; uid: string }

withChart('what a release evaluates', () => {
  const boardsIn = (all: Rendered[]) =>
    all
      .filter(({ kind, metadata }) => kind === 'ConfigMap' && 'grafana_dashboard' in metadata.labels)
      .map(({ data }) => JSON.parse(Object.values(data ?? {})[0] ?? '') as Panels)

  test('every expression of alerts, recordings, dashboards and KEDA selects its own namespace and release', () => {
    const rules = ofKind('production', 'PrometheusRule').flatMap(
      ({ spec }) => spec.groups as { rules: { expr: string }[] }[],
    )
    const boards = boardsIn(objects('production'))
    const scaled = ofKind('production', 'ScaledObject').flatMap(
      ({ spec }) => spec.triggers as { metadata: { query?: string } }[],
    )
    const expressions = [
      ...rules.flatMap((group) => group.rules.map(({ expr }) => expr)),
      ...boards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))),
      ...scaled.flatMap(({ metadata }) => metadata.query ?? []),
    ]
    expect([rules.length > 1, boards.length, scaled.length]).toEqual([true, 4, 2])
    for (const expression of expressions) {
      const selectors = selectorsOf(expression)
      const foreign = selectors.filter((one) => !one.includes('{job="storefront",namespace="default",release="t"'))
      expect({ expression, foreign, count: selectors.length > 0 }).toEqual({ expression, foreign: [], count: true })
    }
  })

  test('the dashboards of two releases have different identities, within the 40 characters of Grafana', () => {
    const args = ['--set', 'monitoring.dashboards.enabled=true']
    const ids = [args, [...args, '--namespace', 'other']].map((one) => boardsIn(render(one)).map(({ uid }) => uid))
    expect(new Set(ids.flat()).size).toBe(8)
    for (const id of ids.flat()) expect(id.length).toBeLessThanOrEqual(40)
  })
})
