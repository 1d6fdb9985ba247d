// A client ID metadata document on a server of this machine, for tests of docs/spec/agents-access.md#clients
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { REDIRECT } from '../product/agents.ts'
import { makeCertificate } from '../servers/certificate.ts'

/** Serves the document, and has this process trust its server until it is closed. */
export async function serveClientDocument(): Promise<{ url: string; close(): Promise<void> }> {
  const { key, cert } = makeCertificate('localhost')
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, cert])
  const server = createServer({ key, cert }, (_request, response) => {
    response.setHeader('content-type', 'application/json')
    // As ChatGPT's: another method, and none beside it.
    response.end(
      JSON.stringify({
        client_id: url,
        client_name: 'Documented agent',
        redirect_uris: [REDIRECT, 'cursor://anysphere/cb'],
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
        token_endpoint_auth_signing_alg: 'RS256',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const url = `https://localhost:${(server.address() as AddressInfo).port}/client.json`
  return {
    url,
    async close() {
      setDefaultCACertificates(trusted)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
