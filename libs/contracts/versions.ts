// Version numbers that travel on the wire: docs/spec/rest-api.md#versioning, docs/spec/mcp.md#protocol-versions.

export const SERVICE_VERSION = '2026-08-12' // Header `service-version` on every REST response.
export const EVENT_VERSION = 1 // `version` in every webhook body.

export const MCP_VERSION = '2026-07-28' // The modern protocol version; header `mcp-protocol-version` of every MCP answer.
export const MCP_VERSIONS = [MCP_VERSION, '2025-11-25', '2025-06-18'] as const // Newest first; the others are legacy.
export const MCP_SERVER = { name: 'storefront', version: '1.0.0' } as const // The product's name, the MCP server's version.
