// The text that `npm start` and `npm run stack` print when the product is ready: addresses, a sign-in link, keys, one curl line to copy.
// docs/spec/running.md#commands, docs/spec/operators-and-roles.md#codes
import type { DemoKeys } from '../demo/demo.ts'

type Addresses = {
  publicUrl: string
  mcpUrl: string
  adminUrl: string
  adminToken: string
  /** Signs the demo owner in, once; null where there is none. */
  signInUrl: string | null
  keys: DemoKeys | null
  seconds: number
}

/** Several lines of text. */
export function banner({ publicUrl, mcpUrl, adminUrl, adminToken, signInUrl, keys, seconds }: Addresses): string {
  const lines = [
    '',
    `Storefront is ready (${seconds.toFixed(1)} s).`,
    '',
    `  Base URL      ${publicUrl}/api/v1`,
    `  Reference     ${publicUrl}/docs`,
    `  OpenAPI       ${publicUrl}/openapi.json`,
    `  MCP           ${mcpUrl}/api/mcp`,
    `  Back office   ${adminUrl}/admin/v1`,
    ...(signInUrl === null ? [] : [`  Sign-in link  ${signInUrl}`]),
    `  Admin token   ${adminToken}`,
  ]
  if (keys !== null) {
    lines.push(`  Read key      ${keys.read}`, `  Write key     ${keys.write}`, '')
    lines.push(`  curl -H "Authorization: Bearer ${keys.read}" "${publicUrl}/api/v1/orders?limit=2"`)
  }
  return `${lines.join('\n')}\n\n`
}
