// Owns the words of a tool error: the code of REST first, what was wrong, then the way out, so that a model can act on it.
// Spec: MCP errors, "Tool errors". mcp.md 6, point 5. A missing id and the id of another shop read the same.
import { failureOf } from '#http/failure'
import type { Tool } from './tools.ts'

/** The code, and the text that begins with it. */
export function toolErrorOf(error: unknown, tool: Tool, requestId: string): { code: string; text: string } {
  const { code, message } = failureOf(error, requestId)
  return { code, text: [`${code}: ${message}`, ...wayOut(code, fieldOf(error), tool)].join(' ') }
}

function wayOut(code: string, field: string | null, { sourceOfId }: Tool): string[] {
  switch (code) {
    case 'not_found':
      return [`Take the id from ${sourceOfId}; this one will not be found later either.`]
    case 'invalid_request':
      return [INSTEAD[field ?? ''] ?? (field === 'id' ? `Take it from ${sourceOfId}.` : 'Correct it, then call again.')]
    case 'server_error':
      return ['The arguments were not the reason; repeat the same call after a few seconds.']
    default:
      return ['The same call would be refused again.']
  }
}

const INSTEAD: Record<string, string> = {
  cursor: 'Or leave cursor out for the first page.', // What a cursor is, the refusal says.
}

function fieldOf(error: unknown): string | null {
  const facts = (error as { data?: { field?: unknown } } | null)?.data
  return typeof facts?.field === 'string' ? facts.field : null
}
