// The HTTP client that fills the demo shop through the back office.

/** `signal` ends the requests under way, when the product stops. */
export type AdminAccess = { adminUrl: string; adminToken: string; dataDir: string; signal?: AbortSignal }
export type AdminResponse = { status: number; body: unknown }

/** Sends one request below /admin/v1; `key` is its Idempotency-Key. */
export async function call(
  admin: AdminAccess,
  method: string,
  path: string,
  body?: object,
  key?: string,
): Promise<AdminResponse> {
  const response = await fetch(`${admin.adminUrl}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${admin.adminToken}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(admin.signal ? { signal: admin.signal } : {}),
  })
  return { status: response.status, body: await response.json() }
}
