// Owns the calls that fill the demo shop: the back office as everybody uses it.

export type Door = { adminUrl: string; adminToken: string; dataDir: string }
export type Answer = { status: number; body: unknown }

/** One call below /admin/v1; `key` is its Idempotency-Key. */
export async function call(door: Door, method: string, path: string, body?: object, key?: string): Promise<Answer> {
  const response = await fetch(`${door.adminUrl}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${door.adminToken}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: await response.json() }
}
