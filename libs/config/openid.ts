// The OpenID provider that operators sign in with, whose settings fit together or stop the start: docs/spec/operators-and-roles.md
type Read = { OIDC_ISSUER: string | null; OIDC_CLIENT_ID: string | null; OIDC_CLIENT_SECRET: string | null }
export type OpenId = { issuer: string; clientId: string; clientSecret: string }

/** A provider is set by all three settings or by none (null). Throws an Error of one line that names those that are missing. */
export function openIdOf(read: Read): OpenId | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = read
  if (issuer !== null && clientId !== null && clientSecret !== null) return { issuer, clientId, clientSecret }
  if (issuer === null && clientId === null && clientSecret === null) return null
  const names = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const
  const missing = names.filter((name) => read[name] === null)
  throw new Error(
    `${missing.join(' and ')} must be set as well: a sign-in by OpenID Connect needs all of ${names.join(', ')}`,
  )
}
