// An instant; UTC and the exact milliseconds on hover.
import { useEffect, useState } from 'preact/hooks'
import { timeWords } from './time.ts'

const TICK_MS = 30_000

export function When({ at, zone }: { at: string; zone: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={at}>
      {timeWords(at, zone, now)}
    </time>
  )
}

/** The time, renewed twice a minute. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
