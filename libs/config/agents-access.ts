// The settings of agents' sign-in by OAuth, which fit together or stop the start: docs/spec/agents-access.md#settings.
import { issuer } from './values.ts'

type Read = {
  MCP_OAUTH: boolean
  MCP_OAUTH_CLIENT_HOSTS: string[] | null
  PUBLIC_URL: string | null
  CONSOLE_URL: string | null
}
/** `redirectHosts`: null where every host is allowed. */
export type AgentsAccess = { consoleUrl: string; redirectHosts: string[] | null }

/** Null where agents cannot sign in. Throws an Error of one line where another setting is missing or does not fit. */
export function agentsAccessOf(read: Read): AgentsAccess | null {
  if (!read.MCP_OAUTH) return null
  if (read.PUBLIC_URL === null || !issuer.safeParse(read.PUBLIC_URL).success) {
    throw new Error('MCP_OAUTH is true, so PUBLIC_URL must be set, to an https origin (http on the loopback only).')
  }
  if (read.CONSOLE_URL === null) {
    throw new Error('MCP_OAUTH is true, so CONSOLE_URL must be set: operators approve agents in the console.')
  }
  return { consoleUrl: read.CONSOLE_URL, redirectHosts: read.MCP_OAUTH_CLIENT_HOSTS }
}
