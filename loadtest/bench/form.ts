// A form of the product, or the floor, that the benchmark measures.
import type { Process } from '../process.ts'

export type FormName = 'floor' | 'one' | 'nats'
export type Form = {
  name: FormName
  ports: { rest: number; mcp: number }
  services: Process[]
  /** Its processes by name, with the database's that work for it. */
  processes(): Promise<[name: string, pid: number][]>
}
