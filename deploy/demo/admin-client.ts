// The HTTP client that fills the demo shop through the back office.

/** When the product stops, `signal` lets no further request begin; one under way is answered, but for the upload of a file. */
export type AdminAccess = { adminUrl: string; adminToken: string; dataDir: string; signal?: AbortSignal }

/** Sends one request below /admin/v1 and returns `data` of its answer; `key` is its Idempotency-Key. Throws where it is refused. */
export async function callOrThrow<Data>(
  admin: AdminAccess,
  method: string,
  path: string,
  body?: object,
  key?: string,
): Promise<Data> {
  admin.signal?.throwIfAborted()
  const response = await fetch(`${admin.adminUrl}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${admin.adminToken}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const answer = (await response.json()) as { data?: Data }
  if (answer.data === undefined) {
    throw new Error(
      `The demo shop needs ${method} ${path}, which answered ${response.status}: ${JSON.stringify(answer)}`,
    )
  }
  return answer.data
}
