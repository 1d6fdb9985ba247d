// The addresses of agents' sign-in, the cookie of the way back, and the documents that name them. docs/spec/agents-access.md#addresses
export const MCP_PATH = '/api/mcp'
/** The same endpoint, where the handshake needs a credential as well. */
export const CONNECT_PATH = '/api/mcp/connect'
export const AUTHORIZE_PATH = '/oauth/authorize'
export const TOKEN_PATH = '/oauth/token'
export const REGISTER_PATH = '/oauth/register'
export const REVOKE_PATH = '/oauth/revoke'
/** Names the request that began in this browser. */
export const COOKIE = 'storefront_agent'
const RESOURCE_DOCUMENT = '/.well-known/oauth-protected-resource'
const SERVER_DOCUMENT = '/.well-known/oauth-authorization-server'

export const scopes = ['read', 'write'] as const

/** The path without its variable part where the sign-in answers it, for routing, log and metrics; null where it does not. */
export function oauthRouteOf(path: string): string | null {
  if (paths.has(path)) return path
  const isRequest = path.startsWith(`${AUTHORIZE_PATH}/`) && /^[\w-]{1,64}$/.test(path.slice(AUTHORIZE_PATH.length + 1))
  return isRequest ? `${AUTHORIZE_PATH}/{id}` : null
}

/** The addresses for which tokens are issued; a token serves both. The first is the default. */
export function resourcesOf(publicUrl: string): [connect: string, open: string] {
  return [publicUrl + CONNECT_PATH, publicUrl + MCP_PATH]
}

/** The challenge of a 401 at the address for connecting. */
export function challengeOf(publicUrl: string, hasCredential: boolean): string {
  const metadata = `resource_metadata="${publicUrl}${RESOURCE_DOCUMENT}${CONNECT_PATH}"`
  return `Bearer ${metadata}, scope="${scopes.join(' ')}"${hasCredential ? ', error="invalid_token"' : ''}`
}

/** The document at a path; null where there is none. */
export function documentAt(path: string, publicUrl: string): object | null {
  if (path === SERVER_DOCUMENT) return serverDocument(publicUrl)
  return path.startsWith(RESOURCE_DOCUMENT)
    ? resourceDocument(publicUrl + path.slice(RESOURCE_DOCUMENT.length), publicUrl)
    : null
}

const paths = new Set([
  AUTHORIZE_PATH,
  TOKEN_PATH,
  REGISTER_PATH,
  REVOKE_PATH,
  SERVER_DOCUMENT,
  RESOURCE_DOCUMENT + CONNECT_PATH,
  RESOURCE_DOCUMENT + MCP_PATH,
])

// RFC 9728.
function resourceDocument(resource: string, publicUrl: string): object {
  return {
    resource,
    authorization_servers: [publicUrl],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Storefront',
  }
}

// RFC 8414, with what the product has and no more: the library's own document names what is turned off here.
function serverDocument(publicUrl: string): object {
  return {
    issuer: publicUrl,
    authorization_endpoint: publicUrl + AUTHORIZE_PATH,
    token_endpoint: publicUrl + TOKEN_PATH,
    registration_endpoint: publicUrl + REGISTER_PATH,
    revocation_endpoint: publicUrl + REVOKE_PATH,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    scopes_supported: scopes,
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  }
}
