// Which clients may sign agents in, and where they may be sent back to: the rules of registrations and of client ID metadata documents.
// docs/spec/agents-access.md#clients
import { limits } from '#contracts/limits'

/** A client as the OAuth library gets it: public, and with nothing that it could misread. */
export type ClientMetadata = {
  client_id: string
  client_name: string
  redirect_uris: string[]
  grant_types: ['authorization_code', 'refresh_token']
  response_types: ['code']
  token_endpoint_auth_method: 'none'
  application_type: 'native'
}
export type ClientError = { error: 'invalid_client_metadata' | 'invalid_redirect_uri'; description: string }
type Json = Record<string, unknown>

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** What is wrong with a redirect URI; null where nothing is. `hosts`: those that are allowed, null for all. */
export function redirectProblem(uri: unknown, hosts: readonly string[] | null): string | null {
  if (
    typeof uri !== 'string' ||
    uri.length > limits.linkLengthMax ||
    !/^[\x21-\x7e]+$/.test(uri) ||
    uri.includes('\\')
  ) {
    return 'a redirect URI must be a URL in ASCII'
  }
  const url = URL.parse(uri)
  if (url === null) return 'a redirect URI must be a URL'
  const isLoopback = LOOPBACK.includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) {
    return 'a redirect URI must be https, or http on localhost, 127.0.0.1 or [::1]'
  }
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/*[^/?#]*@/i.test(uri)) {
    return 'a redirect URI must hold no user'
  }
  if (uri.includes('#')) return 'a redirect URI must have no fragment'
  const isAllowed = hosts === null || hosts.includes(url.host) || (isLoopback && hosts.includes('loopback'))
  return isAllowed ? null : 'redirects to this host are not allowed here'
}

/** The client of a registration (RFC 7591), or why it is refused. */
export function registeredClient(
  id: string,
  body: Json,
  hosts: readonly string[] | null,
): ClientMetadata | ClientError {
  const { redirect_uris: uris, client_name: name = 'An agent', token_endpoint_auth_method: method = 'none' } = body
  if (method !== 'none') return invalid('token_endpoint_auth_method must be none: no secrets are issued')
  if (!isName(name)) return invalid(`client_name must be text of at most ${limits.agentNameMax} characters`)
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > limits.agentRedirectsMax) {
    const description = `redirect_uris must hold 1 to ${limits.agentRedirectsMax} URIs`
    return { error: 'invalid_redirect_uri', description }
  }
  for (const uri of uris) {
    const problem = redirectProblem(uri, hosts)
    if (problem !== null) return { error: 'invalid_redirect_uri', description: problem }
  }
  return metadataOf(id, name, uris as string[])
}

/**
 * The client of a document at its id; null where the document cannot be taken. Redirect URIs that are not allowed here are left out. A
 * document that names another method of authentication is taken where it lists `none` as well.
 */
export function documentedClient(id: string, document: Json, hosts: readonly string[] | null): ClientMetadata | null {
  const { client_id, client_name: name = URL.parse(id)?.host, redirect_uris: uris } = document
  const { token_endpoint_auth_method: method = 'none', token_endpoint_auth_methods_supported: methods } = document
  const isPublic = method === 'none' || (Array.isArray(methods) && methods.includes('none'))
  if (client_id !== id || !isPublic || 'client_secret' in document || !isName(name) || !Array.isArray(uris)) return null
  const allowed = uris.filter((uri) => redirectProblem(uri, hosts) === null) as string[]
  return allowed.length === 0 ? null : metadataOf(id, name, allowed)
}

// As a native application a client may use any port of the loopback (RFC 8252, 7.3); the schemes are checked above.
function metadataOf(id: string, name: string, redirectUris: string[]): ClientMetadata {
  return {
    client_id: id,
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  }
}

// Control and format characters could make a name look like another one on the page of the operator.
function isName(name: unknown): name is string {
  if (typeof name !== 'string' || !name.isWellFormed()) return false
  return name.trim() !== '' && [...name].length <= limits.agentNameMax && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)
}

function invalid(description: string): ClientError {
  return { error: 'invalid_client_metadata', description }
}

/** Documents for the time in which theirs cannot be fetched, as they were published in November 2026. */
export const pinnedDocuments: readonly Json[] = [
  {
    client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    client_name: 'Claude',
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
    token_endpoint_auth_method: 'none',
  },
  {
    client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
    client_name: 'Claude Code',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
  },
  {
    client_id: 'https://chatgpt.com/oauth/client.json',
    client_name: 'ChatGPT',
    redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    token_endpoint_auth_method: 'none',
  },
]
