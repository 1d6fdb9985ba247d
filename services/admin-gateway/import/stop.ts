// Why an import ends before its file does, as the reason of the abort that ends it.

/**
 * `interrupted`: the record says so. `cancelled`: somebody wants no more of it. `lost`: another process has it, so that this one writes
 * nothing further. `released`: this process ends, and another one continues.
 */
export type StopKind = 'interrupted' | 'cancelled' | 'lost' | 'released'

export class Stop extends Error {
  readonly kind: StopKind

  constructor(kind: StopKind, message: string) {
    super(message)
    this.kind = kind
  }
}
