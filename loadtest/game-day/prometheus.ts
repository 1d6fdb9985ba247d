// A Prometheus beside the stack, with the alerts of the chart: which of them would have told an operator, and after how long.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '#local-servers/find-program'
import { serverEnv } from '#postgres/embedded/server'
import type { Cluster } from '../cluster.ts'
import { freePort, root } from '../process.ts'
import { until } from '../program.ts'

/** `ms`: after the begin of the span. `isFiring`: it waited for its whole `for`; otherwise its condition held. */
export type Alert = { name: string; ms: number; isFiring: boolean }
export type Prometheus = {
  version: string
  /** The alerts that became true, or fired, within the span. */
  alertsIn(from: number, to: number): Promise<Alert[]>
  stop(): Promise<void>
}

const STEP_S = 5
const READY_MS = 60_000

/** Starts the `prometheus` of the path on all processes of the cluster; null where there is none. */
export async function startPrometheus({ folder, processes }: Cluster, path: string): Promise<Prometheus | null> {
  const program = findProgram('prometheus', path)
  if (program === null) return null
  const [, version = ''] = /version (\S+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? []
  const own = join(folder, 'prometheus')
  mkdirSync(own)
  const targets = processes.map(({ service, opsUrl }) => ({ targets: [new URL(opsUrl).host], labels: { service } }))
  const config = {
    global: { scrape_interval: `${STEP_S}s`, evaluation_interval: `${STEP_S}s` },
    rule_files: [join(root, 'helm/rules/storefront.yaml')],
    scrape_configs: [{ job_name: 'storefront', static_configs: targets }],
  }
  writeFileSync(join(own, 'prometheus.yml'), JSON.stringify(config)) // JSON is YAML.
  const url = `http://127.0.0.1:${await freePort()}`
  const flags = [`--config.file=${join(own, 'prometheus.yml')}`, `--storage.tsdb.path=${join(own, 'data')}`]
  const child = spawn(program, [...flags, `--web.listen-address=${new URL(url).host}`, '--log.level=error'], {
    env: serverEnv,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  process.once('exit', () => child.kill('SIGKILL'))
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  if (!(await until(isReady, READY_MS, 200))) throw new Error('Prometheus is not ready.')

  return {
    version,
    async alertsIn(from, to) {
      const range = { query: 'ALERTS', start: String(from / 1_000), end: String(to / 1_000), step: String(STEP_S) }
      const response = await fetch(`${url}/api/v1/query_range?${new URLSearchParams(range).toString()}`)
      const { data } = (await response.json()) as { data: { result: Series[] } }
      const found = new Map<string, Alert>()
      for (const { metric, values } of data.result) {
        const { alertname: name, alertstate } = metric
        const ms = (values[0]?.[0] ?? 0) * 1_000 - from
        const isFiring = alertstate === 'firing'
        const before = found.get(`${name} ${alertstate}`)
        // What is there at the begin of the span was caused before it.
        if (ms > 0 && (before === undefined || before.ms > ms))
          found.set(`${name} ${alertstate}`, { name, ms, isFiring })
      }
      return [...found.values()].toSorted((one, other) => one.ms - other.ms)
    },
    async stop() {
      child.kill('SIGTERM')
      await gone
    },
  }
}

type Series = { metric: { alertname: string; alertstate: string }; values: [number, string][] }
