// Owns which replica of a gateway is asked next, as a load balancer in front of them decides: turn and turn about among
// those whose /readyz says so. It looks often and asks nobody twice.
import type { Replica } from './replicas.ts'

export type Doors = {
  /** The next one that is ready, or the next one where none is. */
  next(): Replica
  stop(): void
}

const LOOK_MS = 100
const LOOK_WAIT_MS = 1_000 // Who says nothing for so long is taken for hung.

/** Begins looking at the replicas; all count as ready until they say otherwise. */
export function openDoors(replicas: Replica[]): Doors {
  const doors = replicas.map((replica) => ({ replica, isReady: true, isLooking: false }))
  let turn = 0
  const look = async (door: (typeof doors)[number]) => {
    if (door.isLooking) return
    door.isLooking = true
    door.isReady = await door.replica.isReady(LOOK_WAIT_MS)
    door.isLooking = false
  }
  const timer = setInterval(() => {
    for (const door of doors) void look(door)
  }, LOOK_MS)
  return {
    next() {
      turn += 1
      const able = doors.filter(({ isReady }) => isReady)
      const from = able.length > 0 ? able : doors
      const door = from[turn % from.length]
      if (door === undefined) throw new Error('There is no gateway.')
      return door.replica
    },
    stop: () => clearInterval(timer),
  }
}
