// CPU time and memory of processes, read from /proc, so that it is the same measure for Node, nats-server and PostgreSQL; and their
// metrics.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Process } from './process.ts'
import { print } from './program.ts'

/** Nanoseconds of CPU by process name so far, all threads; several processes of one name are added. */
export type CpuNs = Map<string, number>

/** `processes` names process ids. */
export function readCpu(processes: [name: string, pid: number][]): CpuNs {
  const spent: CpuNs = new Map()
  for (const [name, pid] of processes) spent.set(name, (spent.get(name) ?? 0) + nsOf(pid))
  return spent
}

/** Microseconds of CPU a request, by process, between two readings. */
export function cpuPerRequest(before: CpuNs, after: CpuNs, requests: number): Record<string, number> {
  const parts = [...after].map(([name, ns]) => [name, (ns - (before.get(name) ?? 0)) / 1_000 / Math.max(1, requests)])
  return Object.fromEntries(parts) as Record<string, number>
}

/** Prints CPU and memory of each process in the next `ms`, a line each; a process that ends meanwhile has none. */
export async function printUsage(what: string, processes: Process[], ms: number): Promise<void> {
  const read = () => processes.map(({ pid }) => ({ pid: pid(), ns: nsOf(pid()) }))
  const before = read()
  await sleep(ms)
  print(`${what}:`)
  for (const [index, { pid, ns }] of read().entries()) {
    const [one, was] = [processes[index], before[index]]
    if (one === undefined || was?.pid !== pid) continue
    const share = ((ns - was.ns) / 1e4 / ms).toFixed(1).padStart(6)
    print(`  ${`${one.service} ${one.number}`.padEnd(18)} ${share} % CPU ${residentMb(pid)} MB`)
  }
}

/** Megabytes of resident memory now. */
export function residentMb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kb ?? 0) / 1_024)
}

/** Megabytes that the process shares with no other: without program files that several have open. */
export function ownMb(pid: number): number {
  const parts = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)
  return Math.round([...parts].reduce((sum, [, kb]) => sum + Number(kb), 0) / 1_024)
}

/** The sum of a metric over its labels, as the process publishes it now. */
export async function readMetric({ opsUrl }: Process, name: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text()
  const values = text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0)
}

function nsOf(pid: number): number {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    const files = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8'))
    return files.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0)
  } catch {
    return 0 // A connection of the database that was closed in between.
  }
}
