// The requests of the shop's keys as they are answered, newest first. It stands still while somebody scrolls or selects, says how
// many came meanwhile, and goes on with one key.
import { useRef, useState } from 'preact/hooks'
import { useKeys } from '../../frame/keys.ts'
import { shortId } from '../../parts/copy.tsx'
import { type Connection, useLive } from '../../parts/live.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Empty } from '../../parts/state.tsx'
import { Status, type Tone } from '../../parts/status.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { calledOf, type KeyNames, type Request, toneOf } from './request.ts'

type LiveTailProps = { shop: Shop; names: KeyNames; place: Place }
type Seen = { key: number; request: Request }
type Tail = { shown: readonly Seen[]; held: readonly Seen[]; skipped: number }

const text = words.requests
const ROWS = 200
const tones: Record<Connection, Tone> = { connecting: 'open', open: 'ok', lost: 'warn' }

export function LiveTail({ shop, names, place }: LiveTailProps) {
  const [tail, setTail] = useState<Tail>({ shown: [], held: [], skipped: 0 })
  const list = useRef<HTMLOListElement>(null)
  const next = useRef(0)
  const connection = useLive(shop.handle, {
    request(request) {
      next.current += 1
      const one = { key: next.current, request }
      const isRead = isBeingRead(list.current)
      setTail(({ shown, held, skipped }) =>
        isRead || held.length > 0
          ? { shown, held: [one, ...held].slice(0, ROWS), skipped }
          : { shown: [one, ...shown].slice(0, ROWS), held, skipped },
      )
    },
    skipped: (count) => setTail((before) => ({ ...before, skipped: before.skipped + count })),
  })
  const follow = () => {
    getSelection()?.removeAllRanges()
    list.current?.scrollTo({ top: 0 })
    setTail(({ shown, held, skipped }) => ({ shown: [...held, ...shown].slice(0, ROWS), held: [], skipped }))
  }
  useKeys({ f: { words: text.followKey, act: follow } })
  const { shown, held, skipped } = tail
  return (
    <>
      <ObjectHead name={text.live} place={place}>
        <Status tone={tones[connection]} word={text.connection[connection]} />
        {skipped > 0 && <span class="soft">{text.left(skipped)}</span>}
      </ObjectHead>
      <p role="status" class="follow">
        {held.length > 0 && (
          <button type="button" onClick={follow}>
            {text.held(held.length)} <kbd>f</kbd>
          </button>
        )}
      </p>
      {shown.length === 0 ? (
        <Empty sentence={text.quiet} />
      ) : (
        <ol class="tail" ref={list} tabIndex={0} aria-label={text.live}>
          {shown.map(({ key, request }) => (
            <Line key={key} request={request} shop={shop} names={names} />
          ))}
        </ol>
      )}
    </>
  )
}

function Line({ request, shop, names }: { request: Request; shop: Shop; names: KeyNames }) {
  const { id, at, status, keyId, durationMs, message } = request
  const called = calledOf(request)
  // What was answered 2xx is not kept, so that there is nothing to open.
  const isKept = status >= 300 || request.code !== null
  return (
    <li>
      <time dateTime={at} title={at}>
        {secondsOf(at, shop.timeZone)}
      </time>{' '}
      <Status tone={toneOf(request)} word={String(status)} />{' '}
      {isKept ? <a href={`/s/${shop.handle}/requests/${encodeURIComponent(id)}`}>{called}</a> : <span>{called}</span>}{' '}
      <span class="soft">
        {names.get(keyId) ?? shortId(keyId)} · {text.ms(durationMs)}
        {message !== null && ` · ${message}`}
      </span>
    </li>
  )
}

function secondsOf(at: string, zone: string): string {
  return new Intl.DateTimeFormat(words.locale, { timeZone: zone, timeStyle: 'medium' }).format(new Date(at))
}

function isBeingRead(list: HTMLElement | null): boolean {
  if (list === null) return false
  const selection = getSelection()
  const isSelected = selection !== null && !selection.isCollapsed && list.contains(selection.anchorNode)
  return list.scrollTop > 0 || isSelected
}
