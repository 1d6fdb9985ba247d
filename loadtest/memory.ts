// The bounds of memory that load programs check, in megabytes: the resident memory of a process under load, as
// docs/spec/internals.md#bounds promises it, and how much it may grow.
const RESIDENT_MB_MAX: Record<string, number> = {
  'rest-gateway': 384,
  orders: 384,
  // The whole product in one process.
  one: 512,
}
const RESIDENT_MB_MAX_OF_OTHERS = 256

/** How much of its size a process may grow while the load stays the same: it would leak. */
export const GROWTH_MAX = 0.1
/** How much a process may grow beside receivers that hang, drip and flood. */
export const GROWTH_MB_MAX = 50

/** The most resident memory of a process of the service. */
export function residentMbMax(service: string): number {
  return RESIDENT_MB_MAX[service] ?? RESIDENT_MB_MAX_OF_OTHERS
}

/** The processes with more resident memory than they may have, one line each. */
export function overResident(residents: Iterable<readonly [service: string, mb: number]>): string[] {
  return [...residents]
    .filter(([service, mb]) => mb > residentMbMax(service))
    .map(([service, mb]) => `${service} has ${mb} MB, at most ${residentMbMax(service)}`)
}
