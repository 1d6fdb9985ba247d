// A clock that can be wrong, loaded before a program (`node --import`): each SIGUSR2 makes it jump, ten minutes ahead first,
// then ten behind, then right again. `?ahead_ms=5000` behind the name of this file sets it ahead from the start. Only the time of
// day is wrong, as on a real machine.
const STEPS_MS = [0, 600_000, -600_000]

const Right = Date
const aheadMs = Number(new URL(import.meta.url).searchParams.get('ahead_ms'))
let jumps = 0
const shiftMs = () => aheadMs + (STEPS_MS[jumps % STEPS_MS.length] ?? 0)

class Wrong extends Right {
  constructor(...given: [] | [value: number | string | Date]) {
    if (given.length === 0) super(Wrong.now())
    else super(...(given as [number]))
  }

  static override now(): number {
    return Right.now() + shiftMs()
  }

  // Instants that the engine makes itself are dates too.
  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object Date]'
  }
}

globalThis.Date = Wrong as DateConstructor
process.on('SIGUSR2', () => {
  jumps += 1
})
