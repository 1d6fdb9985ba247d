// The registry of services, deploy/services.json. Processes, image, compose file, chart, database roles, metrics targets and
// test stacks follow it: `npm run generate` writes the files that cannot read it, and services.test.ts compares the rest.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type ServiceEntry = {
  /** Also the name of its folder in services/, of its container and of its Deployment. */
  name: string
  kind: 'domain' | 'gateway'
  /** The PostgreSQL schema that it owns; null stores nothing. */
  schema: string | null
  /** Where it accepts HTTP: the setting that names the port, and the number in a container. PORT is public. */
  port: { setting: 'PORT' | 'ADMIN_PORT'; number: number } | null
  needs: ('adminToken' | 'mail' | 'internet')[]
  /** What differs from `defaults.autoscaling` of the chart. */
  autoscaling: { enabled?: boolean; minReplicas?: number; maxReplicas?: number; targetCpuPercent?: number }
}

/** All services, in the order in which they start. */
export const registry = JSON.parse(
  readFileSync(join(import.meta.dirname, 'services.json'), 'utf8'),
) as readonly ServiceEntry[]
