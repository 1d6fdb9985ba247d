// Owns what a webhook fault is: what happens, at random moments under the load, and what must be seen of it afterwards.
import { setTimeout as pause } from 'node:timers/promises'
import type { Ground } from './webhook-fault-ground.ts'
import type { Judgement } from './webhook-fault-judge.ts'
import type { Traffic } from './webhook-fault-traffic.ts'

export type Scene = { ground: Ground; traffic: Traffic; minutes: number; rounds: number }
/** What one fault found out itself: figures for its line, and what did not hold. */
export type Finding = { notes: string[]; wrong: string[] }
/** `repeatsMax`: how many attempts may have followed a 2xx. `review` looks at what came once all is drained. */
export type Happening = Finding & { repeatsMax: number; review?(judgement: Judgement): Finding }
export type Fault = { name: string; happen(scene: Scene): Promise<Happening> }

export const nothing: Happening = { notes: [], wrong: [], repeatsMax: 0 }

/** Does the work so many times, each at a random moment of its part of the time; each has `leastMs` for itself. */
export async function atRandomMoments(
  { minutes, rounds }: Pick<Scene, 'minutes' | 'rounds'>,
  work: (round: number) => Promise<void>,
  leastMs = 0,
): Promise<void> {
  const partMs = Math.max((minutes * 60_000) / rounds, leastMs)
  for (let round = 0; round < rounds; round += 1) {
    const end = performance.now() + partMs
    await pause((Math.random() * partMs) / 2)
    await work(round)
    await pause(Math.max(0, end - performance.now()))
  }
}

/** Waits for what is left of the time. */
export async function forTheRest({ minutes }: Scene, beganAt: number): Promise<void> {
  await pause(Math.max(0, minutes * 60_000 - (performance.now() - beganAt)))
}

/** One line of the largest, in seconds. */
export function slowest(name: string, list: number[]): string {
  return `${name} ${seconds(Math.max(0, ...list))}`
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
