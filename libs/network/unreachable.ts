// Says in words why a server cannot be reached, for people who do not know the codes of Node and PostgreSQL.
const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke off',
  EPIPE: 'the connection broke off',
  UND_ERR_SOCKET: 'the connection broke off',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
  HPE_INVALID_CONSTANT: 'the program that listens there does not speak HTTP',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the program that listens there does not speak TLS',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is of another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  // SQLSTATE of PostgreSQL.
  '28P01': 'it refuses user and password',
  '28000': 'it refuses the user',
  '3D000': 'it has no database of that name',
  '53300': 'it has too many connections',
  '57P03': 'it is starting or stopping',
}

/** Why a connection failed, in words for the end of a sentence; the code where there are no words for it. */
export function whyUnreachable(error: unknown): string {
  const code = codeIn(error)
  if (code !== null) return reasons[code] ?? code
  const { message = '', cause } = error as Partial<Error>
  if (cause !== undefined) return whyUnreachable(cause)
  if (message.startsWith('Connection terminated unexpectedly')) return 'the connection broke off' // By pg, without a code.
  return message === '' || message.includes('timeout') ? 'it does not answer' : message
}

// `fetch` and connections to several addresses put the error that has the code into `cause` or `errors`.
function codeIn(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] }
  return typeof code === 'string' ? code : (codeIn(cause) ?? codeIn(errors?.[0]))
}
