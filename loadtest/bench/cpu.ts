// Owns reading what processes have worked: nanoseconds on a processor, from /proc, so that it is the same measure for Node,
// nats-server and PostgreSQL. Threads are summed; one that ended between two looks is not missed by more than its own work.
import { readdirSync, readFileSync } from 'node:fs'

/** Nanoseconds of CPU by process name so far; several processes of one name are added. */
export type CpuNs = Map<string, number>

/** `processes` names process ids. */
export function readCpu(processes: [name: string, pid: number][]): CpuNs {
  const spent: CpuNs = new Map()
  for (const [name, pid] of processes) spent.set(name, (spent.get(name) ?? 0) + nsOf(pid))
  return spent
}

/** What was worked between two looks. */
export function cpuBetween(before: CpuNs, after: CpuNs): CpuNs {
  return new Map([...after].map(([name, ns]) => [name, ns - (before.get(name) ?? 0)]))
}

/** Megabytes of memory of a process that are in use now. */
export function residentMb(pid: number): number {
  const [, kb] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kb ?? 0) / 1_024)
}

/** Megabytes of a process that it shares with no other: without program files that several have open. */
export function ownMb(pid: number): number {
  const parts = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)
  return Math.round([...parts].reduce((sum, [, kb]) => sum + Number(kb), 0) / 1_024)
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
