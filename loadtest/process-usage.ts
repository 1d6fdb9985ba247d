// CPU time and memory of processes, read from /proc, so that it is the same measure for Node, nats-server and PostgreSQL.
import { readdirSync, readFileSync } from 'node:fs'

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

/** Megabytes of resident memory now. */
export function residentMb(pid: number): number {
  return statusMb(pid, 'VmRSS')
}

/** The most megabytes of resident memory that the process ever had. */
export function peakMb(pid: number): number {
  return statusMb(pid, 'VmHWM')
}

/** Megabytes that the process shares with no other: without program files that several have open. */
export function ownMb(pid: number): number {
  const parts = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)
  return Math.round([...parts].reduce((sum, [, kb]) => sum + Number(kb), 0) / 1_024)
}

function statusMb(pid: number, field: string): number {
  const [, kb] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kb ?? 0) / 1_024)
}

function nsOf(pid: number): number {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    return tasks.reduce((sum, task) => sum + Number(first(`/proc/${pid}/task/${task}/schedstat`)), 0)
  } catch {
    return 0 // A connection of the database that was closed in between.
  }
}

function first(path: string): string {
  return readFileSync(path, 'utf8').split(' ')[0] ?? '0'
}
