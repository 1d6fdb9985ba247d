// Ctrl-C while an import runs: the first one cancels, the second one leaves.

/** `first` is aborted by Ctrl-C, `second` when it is pressed again. */
export type Interrupt = { first: AbortSignal; second: AbortSignal }

export function openInterrupt(): Interrupt & { close(): void } {
  const [first, second] = [new AbortController(), new AbortController()]
  const onSignal = () => (first.signal.aborted ? second : first).abort()
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, onSignal)
  return {
    first: first.signal,
    second: second.signal,
    close() {
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onSignal)
    },
  }
}
