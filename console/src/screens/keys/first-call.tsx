// Waits for the first call of a new key and shows it as it happens.
import { useEffect, useState } from 'preact/hooks'
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'

type Call = BackOfficeSchemas['Request']

export function FirstCall({ shop, keyId }: { shop: Shop; keyId: string }) {
  const [call, setCall] = useState<Call | null>(null)
  const [isOff, setOff] = useState(false)
  useEffect(() => {
    if (call !== null) return undefined
    const source = new EventSource(`/admin/v1/shops/${shop.handle}/live`)
    source.addEventListener('open', () => setOff(false))
    source.addEventListener('error', () => setOff(true)) // It tries again by itself.
    source.addEventListener('request', (event: MessageEvent<string>) => {
      const seen = JSON.parse(event.data) as Call
      if (seen.keyId === keyId) setCall(seen)
    })
    return () => source.close()
  }, [shop.handle, keyId, call === null])
  return (
    <p class={call === null ? 'live-line' : 'live-line ok'} role="status">
      {call === null && (isOff ? words.apiKeys.liveOff : words.apiKeys.waiting)}
      {call !== null &&
        words.apiKeys.firstCall(call.tool ?? `${call.method} ${call.route ?? ''}`, call.status, call.durationMs)}
    </p>
  )
}
