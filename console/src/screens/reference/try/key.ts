// The key that the reference makes for trying: for one shop, for an hour. It is kept while the reference is shown.
import { api } from '../../../frame/session.ts'
import { words } from '../../../words/en.ts'

export type Access = 'read' | 'write'
export type TryKey = { id: string; secret: string; access: Access; shop: string }

const HOUR_MS = 3_600_000

export async function makeTryKey(shop: string, access: Access): Promise<TryKey> {
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString()
  const key = { name: words.reference.tryIt.name, access, expiresAt }
  const { id, secret } = await api.keys.create(shop, key, { idempotencyKey: crypto.randomUUID() })
  return { id, secret, access, shop }
}

export async function revokeTryKey({ id, shop }: TryKey): Promise<void> {
  await api.keys.revoke(shop, id)
}
