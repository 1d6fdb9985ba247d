// The alerts, by what Prometheus itself says of them: promtool evaluates the rules over series that fire each alert, and over the nearest
// ones that do not. Once as docker-compose.yml reads the rules, once as the chart renders them for a release.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { parse, stringify } from 'yaml'
import { findProgram } from '#local-servers/find-program'
import { describeWhere } from '#testing/where-possible'
import { registry } from '../../deploy/registry.ts'
import { alertCases, type AlertCase, JOB } from './alert-cases.ts'
import { selectorsOf } from './metrics.ts'

type Rule = { alert?: string; record?: string; expr: string; labels?: Labels; annotations?: Labels }
type Labels = Record<string, string>
type Rules = { groups: { name: string; rules: Rule[] }[] }

const chart = join(import.meta.dirname, '..')
const path = process.env.PATH ?? ''
const promtool = findProgram('promtool', path)
const helm = findProgram('helm', path)
const canRun = (promtool !== null && helm !== null) || process.env.CI === 'true'
const folder = mkdtempSync(join(tmpdir(), 'alerts-'))
afterAll(() => rmSync(folder, { recursive: true }))

const rulesOf = (file: string) => parse(readFileSync(join(chart, 'rules', file), 'utf8')) as Rules
const plain = { groups: ['slo.yaml', 'storefront.yaml'].flatMap((file) => rulesOf(file).groups) }
const alerts = plain.groups.flatMap(({ rules }) => rules.filter(({ alert }) => alert !== undefined))

describe('without the tools', () => {
  test('every alert has a case that fires and one that does not', () => {
    expect(Object.keys(alertCases)).toEqual(alerts.map(({ alert }) => alert))
    for (const { fires, quiet } of Object.values(alertCases))
      expect([fires.length > 0, quiet.length > 0]).toEqual([true, true])
  })

  test('every selector names the job, to which the chart adds namespace and release', () => {
    for (const { expr } of plain.groups.flatMap(({ rules }) => rules)) {
      const metrics = selectorsOf(expr)
      expect(metrics.length).toBeGreaterThan(0)
      expect(metrics.filter((one) => !one.includes(`{${JOB}`))).toEqual([])
    }
  })
})

const withTools = describeWhere(canRun, 'the alerts need promtool and helm on the PATH.')
withTools('as docker-compose.yml reads them', () => {
  test.each(Object.entries(alertCases))('%s fires, and only when it should', (_alert, one) => {
    check(plain, [testOf(one, 'fires', {}), testOf(one, 'quiet', {})])
  })
})

withTools('as the chart renders them', () => {
  const own = { namespace: 'shop', release: 't' }
  const rendered = () => {
    const args = ['template', 't', chart, '--namespace', 'shop', '--kube-version', '1.34.0']
    const url = [
      '--set',
      'monitoring.rules.enabled=true',
      '--set',
      'monitoring.rules.runbookUrl=https://runbook.example/page',
    ]
    const text = execFileSync(helm ?? '', [...args, ...url, '--show-only', 'templates/monitoring.yaml'], {
      encoding: 'utf8',
    })
    return (parse(text) as { spec: Rules }).spec
  }

  test('promtool accepts every rule, and each alert has the address of its section in the runbook', () => {
    const rules = rendered()
    const file = join(folder, 'rendered.yaml')
    writeFileSync(file, stringify(rules))
    execFileSync(promtool ?? '', ['check', 'rules', file])
    for (const { alert, annotations } of rules.groups.flatMap((group) => group.rules)) {
      if (alert !== undefined)
        expect(annotations?.runbook_url).toBe(`https://runbook.example/page#${alert.toLowerCase()}`)
    }
  })

  test('each alert fires for its own release, and names it', () => {
    check(
      rendered(),
      Object.values(alertCases).map((one) => testOf(one, 'fires', own, own)),
    )
  })

  test.each([
    { namespace: 'shop', release: 'other' },
    { namespace: 'elsewhere', release: 't' },
  ])('no alert fires for another release: %j', (other) => {
    const present = Object.values(alertCases).filter((one) => one.isOfAbsence !== true)
    check(
      rendered(),
      present.map((one) => testOf(one, 'elsewhere', other, own)),
    )
  })

  test('a release whose processes are all gone alerts although another one runs', () => {
    const { StorefrontServiceMissing: missing } = alertCases
    const other = { namespace: 'shop', release: 'other' }
    const { alert_rule_test, ...test } = testOf(missing, 'quiet', other, own)
    const exp_alerts = registry.map(({ name }) => ({
      exp_labels: { severity: 'page', job: 'storefront', service: name, ...own },
    }))
    check(rendered(), [{ ...test, alert_rule_test: alert_rule_test.map((one) => ({ ...one, exp_alerts })) }])
  })
})

/** One test of promtool: with these series of the release `of` the alert fires for `own`, or it does not. */
function testOf(alert: AlertCase, form: 'fires' | 'quiet' | 'elsewhere', of: Labels, own: Labels = {}) {
  const scope = Object.entries(of).map(([name, value]) => `,${name}="${value}"`)
  const series = form === 'quiet' ? alert.quiet : alert.fires
  const { alert: alertname = '', labels } = alerts.find((one) => alertCases[one.alert ?? ''] === alert) ?? {}
  const exp_labels = { ...labels, ...own, ...alert.labels }
  return {
    interval: alert.interval ?? '1m',
    input_series: series.map(([name, values]) => ({ series: name.replace(JOB, JOB + scope.join('')), values })),
    alert_rule_test: [{ alertname, eval_time: alert.at, exp_alerts: form === 'fires' ? [{ exp_labels }] : [] }],
  }
}

/** Runs promtool over the tests; annotations are left out, because a test would have to repeat their words. */
function check(rules: Rules, tests: ReturnType<typeof testOf>[]): void {
  const bare = rules.groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => ({ ...rule, annotations: {} })),
  }))
  writeFileSync(join(folder, 'rules.yaml'), stringify({ groups: bare }, { aliasDuplicateObjects: false }))
  const file = join(folder, 'tests.yaml')
  // Rules are evaluated as often as there are samples: a case of days would take long otherwise.
  for (const [interval, some] of Map.groupBy(tests, (one) => one.interval)) {
    const content = { rule_files: ['rules.yaml'], evaluation_interval: interval, tests: some }
    writeFileSync(file, stringify(content, { aliasDuplicateObjects: false }))
    try {
      execFileSync(promtool ?? '', ['test', 'rules', file], { stdio: 'pipe' })
    } catch (error) {
      throw new Error(String((error as { stdout: Buffer }).stdout) + String((error as { stderr: Buffer }).stderr))
    }
  }
  expect(tests.length).toBeGreaterThan(0)
}
