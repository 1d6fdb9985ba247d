// What a kill matrix kills: replicas of a service, each with its process group, or the database.
import type { Cluster } from '../../cluster.ts'
import type { Process } from '../../process.ts'

/** Kills the processes at once; returns when they are gone, and a function that waits until each is ready again. */
export async function killProcesses(processes: Process[]): Promise<() => Promise<void>> {
  const pids = processes.map((one) => one.pid())
  await Promise.all(processes.map((one) => one.killGroup()))
  return async () => void (await Promise.all(processes.map((one, index) => one.ready(pids[index]))))
}

/** Kills every replica of the service, or the database where the name is `database`. */
export async function killService(cluster: Cluster, victim: string): Promise<() => Promise<void>> {
  if (victim !== 'database') return killProcesses(cluster.of(victim))
  cluster.killDatabase()
  return async () => void (await cluster.query('select 1')) // It is repeated until the database answers.
}
