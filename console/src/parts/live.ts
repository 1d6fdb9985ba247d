// The live stream of a shop. It connects again by itself, and tells whether it is connected.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { BackOfficeSchemas } from '../../../clients/typescript/src/client.ts'

type Listeners = {
  request?: (request: BackOfficeSchemas['Request']) => void
  delivery?: (attempt: BackOfficeSchemas['LiveDelivery']) => void
  /** Requests and attempts that the stream has left out. */
  skipped?: (count: number) => void
}
export type Connection = 'connecting' | 'open' | 'lost'

const AGAIN_MS = 5_000 // After a refusal; after a lost connection the browser itself tries again.

export function useLive(shop: string, listeners: Listeners): Connection {
  const [connection, setConnection] = useState<Connection>('connecting')
  const latest = useRef(listeners)
  latest.current = listeners
  useEffect(() => {
    let source: EventSource
    let timer = 0
    const open = () => {
      source = new EventSource(`/admin/v1/shops/${encodeURIComponent(shop)}/live`)
      source.onopen = () => setConnection('open')
      source.onerror = () => {
        setConnection('lost')
        if (source.readyState === EventSource.CLOSED) timer = window.setTimeout(open, AGAIN_MS)
      }
      const listen = <Data>(name: string, take: (data: Data) => void) =>
        source.addEventListener(name, ({ data }: MessageEvent<string>) => take(JSON.parse(data) as Data))
      listen('request', (request: BackOfficeSchemas['Request']) => latest.current.request?.(request))
      listen('delivery', (attempt: BackOfficeSchemas['LiveDelivery']) => latest.current.delivery?.(attempt))
      listen('skipped', ({ count }: BackOfficeSchemas['Skipped']) => latest.current.skipped?.(count))
    }
    open()
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }, [shop])
  return connection
}
