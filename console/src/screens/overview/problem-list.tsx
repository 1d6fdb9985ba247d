// What goes wrong, newest first: each a sentence that leads to the cause. The list stands still while somebody reads it.
import { useMemo, useRef } from 'preact/hooks'
import type { Loaded } from '../../frame/loading.ts'
import { shortId } from '../../parts/copy.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Waiting } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Facts } from './facts.ts'
import { useHeld } from './held.ts'
import type { Problem } from './problem.ts'
import { problemsOf } from './problems.ts'

type ProblemsProps = { shop: Shop; facts: Facts; sources: Readonly<Record<keyof Facts, Loaded<unknown>>> }
type Found = ReturnType<typeof problemsOf>

const text = words.overview
const names = ['usage', 'requests', 'keys', 'endpoints', 'deliveries'] as const

export function Problems({ shop, facts, sources }: ProblemsProps) {
  const list = useRef<HTMLUListElement>(null)
  const found = useMemo(
    () => problemsOf(facts, { zone: shop.timeZone, now: new Date(), nameless: shortId }),
    [facts, shop.timeZone],
  )
  const isWaiting = names.some((name) => sources[name].data === null && sources[name].error === null)
  const { shown, isOld, show } = useHeld(found, !isWaiting, readsTheSame, list)
  const missing = names.filter((name) => sources[name].data === null && sources[name].error !== null)
  return (
    <section class="problems" aria-label={text.parts.problems}>
      <div class="problems-head">
        <h2>{text.parts.problems}</h2>
        {isOld && (
          <button type="button" class="link" onClick={show}>
            {text.news}
          </button>
        )}
      </div>
      {shown.problems.length > 0 && (
        <ul ref={list}>
          {shown.problems.map((problem) => (
            <Line key={problem.id} problem={problem} shop={shop} />
          ))}
        </ul>
      )}
      {shown.problems.length === 0 && !isWaiting && missing.length < names.length && <p class="calm">{text.calm}</p>}
      {shown.problems.length === 0 && isWaiting && <Waiting rows={2} />}
      {!shown.areAll && <p class="soft">{text.older}</p>}
      {missing.length > 0 && <p class="soft">{text.notAll(missing.map((name) => text.sources[name]))}</p>}
    </section>
  )
}

function Line({ problem, shop }: { problem: Problem; shop: Shop }) {
  const { tone, sentence, target, at, isAhead = false } = problem
  return (
    <li>
      <Status tone={tone} word="" />
      <p>
        <LinkTo {...target} shop={shop}>
          {sentence.map((piece, index) =>
            typeof piece === 'string' ? piece : <strong key={index}>{piece.strong}</strong>,
          )}
        </LinkTo>
      </p>
      {!isAhead && <When at={new Date(at).toISOString()} zone={shop.timeZone} />}
    </li>
  )
}

function readsTheSame(one: Found, other: Found): boolean {
  const read = ({ problems, areAll }: Found) =>
    JSON.stringify([areAll, problems.map(({ id, sentence, target }) => [id, sentence, target])])
  return read(one) === read(other)
}
