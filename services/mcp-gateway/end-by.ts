// Owns the end of work that takes too long. Spec: MCP endpoint, transport rule 6.

/** The answer of the work, or an error when it has none after that time. What it answers later goes nowhere. */
export async function endBy<Answer>(timeoutMs: number, work: Promise<Answer>): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`Not answered within ${timeoutMs} ms.`)), timeoutMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
