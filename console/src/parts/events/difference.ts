// What has changed between two objects. Pure.

export type Change = { path: string; before: unknown; after: unknown }

/** The fields of `before` that `after` has otherwise, by their path; `after` may have more. */
export function changesOf(before: unknown, after: unknown, path = ''): Change[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    return Array.from({ length }, (_, index) =>
      changesOf(before[index] as unknown, after[index] as unknown, `${path}[${index}]`),
    ).flat()
  }
  if (isRecord(before) && isRecord(after)) {
    return Object.keys(before).flatMap((name) =>
      changesOf(before[name], after[name], path === '' ? name : `${path}.${name}`),
    )
  }
  return Object.is(before, after) ? [] : [{ path, before, after }]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
