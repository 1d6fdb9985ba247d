// One key: what it may do, its calls by the minute, and how it is rolled and revoked.
import { useState } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { Field, Form } from '../../parts/form.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { Fact } from '../../parts/object/facts.tsx'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Empty, Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import { useNow, When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Key, type NewKey, stateOf, toneOf } from './key.ts'
import { KeyUse } from './key-use.tsx'
import { KeyOnce } from './new-key.tsx'

type KeyDetailProps = {
  shop: Shop
  id: string
  mayChange: boolean
  place: Place
  /** The list must be read again. */
  changed: () => void
}

const text = words.apiKeys
const overlaps = [0, 3_600, 86_400, 604_800] as const

export function KeyDetail({ shop, id, mayChange, place, changed }: KeyDetailProps) {
  const key = useLoad(`key ${shop.handle} ${id}`, (signal) => findKey(shop.handle, id, signal))
  const [open, setOpen] = useState<'roll' | 'revoke' | null>(null)
  const [rolled, setRolled] = useState<NewKey | null>(null)
  const [done, setDone] = useState<string | null>(null)
  const now = useNow()
  if (rolled !== null) return <KeyOnce shop={shop} made={rolled} place={place} />
  const path = `/shops/${shop.handle}/keys/${id}`
  return (
    <>
      {place.isAlone && key.data === null && <h1>{text.one}</h1>}
      <Shown of={key} rows={8}>
        {({ found }) => {
          if (found === null) return <Missing place={place} />
          const state = stateOf(found, now)
          const ways = [
            asCurl(location.origin, { method: 'POST', path: `${path}/roll`, body: { overlapSeconds: 86_400 } }),
            asCommand(`keys roll ${id}`, shop.handle),
          ]
          return (
            <>
              <ObjectHead name={found.name} id={found.id} place={place} ways={ways}>
                <Status tone={toneOf(state)} word={text.states[state]} />
                <code>
                  {found.prefix}…{found.lastFour}
                </code>
              </ObjectHead>
              <section class="moves" aria-label={text.actions}>
                {mayChange && state === 'live' && (
                  <div class="buttons">
                    {(['roll', 'revoke'] as const).map((name) => (
                      <button
                        type="button"
                        key={name}
                        aria-expanded={open === name}
                        onClick={() => setOpen(open === name ? null : name)}
                      >
                        {text[name]}
                      </button>
                    ))}
                  </div>
                )}
                {open === 'roll' && (
                  <Roll
                    shop={shop}
                    id={id}
                    cancel={() => setOpen(null)}
                    done={(made) => {
                      setRolled(made)
                      changed()
                    }}
                  />
                )}
                {open === 'revoke' && (
                  <div class="panel-form">
                    <p>{text.revokeAbout}</p>
                    <Form
                      submit={text.revokeNamed(found.name)}
                      isDangerous
                      cancel={() => setOpen(null)}
                      send={async () => {
                        key.put({ found: await api.keys.revoke(shop.handle, id) })
                        setOpen(null)
                        setDone(text.revoked)
                        changed()
                      }}
                    />
                  </div>
                )}
                <p class="result" role="status">
                  {done}
                </p>
              </section>
              <KeyFacts shop={shop} found={found} />
              <KeyUse shop={shop} id={id} />
            </>
          )
        }}
      </Shown>
    </>
  )
}

// The API has no call for one key; a shop has at most five live ones, so it is on one of the first pages.
async function findKey(shop: string, id: string, signal: AbortSignal): Promise<{ found: Key | null }> {
  for await (const key of api.keys.list(shop, { limit: 100 }, { signal })) if (key.id === id) return { found: key }
  return { found: null }
}

function Missing({ place }: { place: Place }) {
  return (
    <>
      <ObjectHead name={text.one} place={place} />
      <Empty sentence={text.missing} />
    </>
  )
}

type RollProps = { shop: Shop; id: string; cancel: () => void; done: (made: NewKey) => void }

function Roll({ shop, id, cancel, done }: RollProps) {
  const [overlap, setOverlap] = useState('86400')
  const send = async () =>
    done(
      await api.keys.roll(
        shop.handle,
        id,
        { overlapSeconds: Number(overlap) },
        { idempotencyKey: crypto.randomUUID() },
      ),
    )
  return (
    <div class="panel-form">
      <p>{text.rollAbout}</p>
      <Form submit={text.rollNow} send={send} cancel={cancel}>
        <Field label={words.secret.overlap}>
          <select value={overlap} onChange={({ currentTarget }) => setOverlap(currentTarget.value)}>
            {overlaps.map((seconds) => (
              <option key={seconds} value={String(seconds)}>
                {words.secret.overlaps[seconds]}
              </option>
            ))}
          </select>
        </Field>
      </Form>
    </div>
  )
}

function KeyFacts({ shop, found }: { shop: Shop; found: Key }) {
  const at = (instant: string | null, none: string) =>
    instant === null ? none : <When at={instant} zone={shop.timeZone} />
  return (
    <div class="facts">
      <dl>
        <Fact label={text.fields.access}>{found.access}</Fact>
        <Fact label={text.fields.resources}>{found.resources?.join(', ') ?? text.everything}</Fact>
        <Fact label={text.fields.sources}>{found.allowedSources?.join(', ') ?? text.anywhere}</Fact>
        <Fact label={text.fields.expires}>{at(found.expiresAt, text.never)}</Fact>
        <Fact label={text.columns.used}>{at(found.lastUsedAt, text.never)}</Fact>
        <Fact label={text.columns.created}>{at(found.createdAt, text.never)}</Fact>
        {found.revokedAt !== null && <Fact label={text.states.revoked}>{at(found.revokedAt, text.never)}</Fact>}
      </dl>
    </div>
  )
}
