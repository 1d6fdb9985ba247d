// The alerts and dashboards, against the runbook and the metrics that the code defines.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { chart, read } from '#testing/product/chart'
import { unknownMetrics } from './metrics.ts'

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
