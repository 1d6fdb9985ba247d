// Runs one action over many objects, a few at a time, with the result of each. Pure but for the calls that it is given.

export type Result = {
  id: string
  outcome: 'done' | 'refused'
  code: string | null
  message: string | null
  requestId: string | null
}
type Refusal = { code?: unknown; message?: unknown; requestId?: unknown }

/** Objects that one choice of "all that match" may cover. */
export const MANY_MAX = 10_000
/** Calls that run at the same time. */
export const AT_ONCE = 4

/**
 * Calls `act` for each id and reports each result as it comes. What has begun when `signal` is aborted is finished; the rest is left
 * out. An action that is refused does not stop the others.
 */
export async function actOnMany(
  ids: AsyncIterable<string> | Iterable<string>,
  act: (id: string) => Promise<unknown>,
  report: (result: Result) => void,
  signal: AbortSignal,
): Promise<void> {
  const iterator = Symbol.asyncIterator in ids ? ids[Symbol.asyncIterator]() : ids[Symbol.iterator]()
  // One worker asks for the next id at a time: a walk over pages is one request after the other.
  let turn: Promise<unknown> = Promise.resolve()
  const next = () => {
    const own = turn.then(() => iterator.next())
    turn = own.catch(() => undefined)
    return own
  }
  const worker = async () => {
    while (!signal.aborted) {
      const { done, value } = await next()
      if (done === true || signal.aborted) return
      report(await resultOf(value, act))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function resultOf(id: string, act: (id: string) => Promise<unknown>): Promise<Result> {
  try {
    await act(id)
    return { id, outcome: 'done', code: null, message: null, requestId: null }
  } catch (error) {
    const { code, message, requestId } = error as Refusal
    return { id, outcome: 'refused', code: textOf(code), message: textOf(message), requestId: textOf(requestId) }
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
