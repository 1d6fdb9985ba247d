// What is seen of following a list: the switch, the rows that wait, and a lost connection.
import { words } from '../../words/en.ts'
import { shopTime } from '../time.ts'
import type { Follow } from './follow.ts'

const text = words.follow

export function FollowSwitch({ follow }: { follow: Follow }) {
  return (
    <button type="button" aria-pressed={follow.isOn} onClick={follow.toggle}>
      {text.button}
    </button>
  )
}

export function FollowLine({ follow, zone }: { follow: Follow; zone: string }) {
  const { isOn, held, lostAt, show } = follow
  if (!isOn) return null
  return (
    <p role="status" class="follow">
      {lostAt !== null && (
        <span class="stale">{text.lost(shopTime(new Date(lostAt).toISOString(), zone, new Date()))}</span>
      )}
      {held > 0 && (
        <button type="button" onClick={show}>
          {text.held(held)} <kbd>f</kbd>
        </button>
      )}
      {held === 0 && lostAt === null && <span class="soft">{text.on}</span>}
    </p>
  )
}
