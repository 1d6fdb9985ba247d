// What PostgreSQL says about a statement that failed.

/** The SQLSTATE of a database error, or null. */
export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null
  const { code, driverError } = error as { code?: unknown; driverError?: { code?: unknown } }
  const found = code ?? driverError?.code
  return typeof found === 'string' ? found : null
}

/** Whether the error is a breach of the named unique constraint or index. */
export function breaks(error: unknown, constraint: string): boolean {
  return codeOf(error) === '23505' && (error as { constraint?: string }).constraint === constraint
}
