// One agent: who it is, what it may do, its calls by the minute, and the end of its access.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { api, session } from '../../frame/session.ts'
import { Form } from '../../parts/form.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { Minutes } from '../../parts/minutes.tsx'
import { Fact } from '../../parts/object/facts.tsx'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import { useNow, When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { BUDGET, MINUTES, minutesOf, sumOf } from '../keys/key.ts'
import { type Agent, identityOf, stateOf, toneOf } from './agent.ts'

type AgentDetailProps = {
  shop: Shop
  id: string
  mayChange: boolean
  place: Place
  /** The list must be read again. */
  changed: () => void
}

const text = words.agents

export function AgentDetail({ shop, id, mayChange, place, changed }: AgentDetailProps) {
  const agent = useLoad(`agent ${shop.handle} ${id}`, (signal) => api.agent.get(shop.handle, id, { signal }))
  const [isEnding, setEnding] = useState(false)
  const [done, setDone] = useState<string | null>(null)
  const revoke = useRef<HTMLButtonElement>(null)
  const result = useRef<HTMLParagraphElement>(null)
  const now = useNow()
  // The button that was pressed is gone: the focus goes to what was said, or back to where the form came from.
  useEffect(() => {
    if (done !== null) result.current?.focus()
  }, [done])
  const cancel = () => {
    setEnding(false)
    revoke.current?.focus()
  }
  const path = `/shops/${shop.handle}/agents/${id}`
  return (
    <>
      {place.isAlone && agent.data === null && <h1>{text.one}</h1>}
      <Shown of={agent} rows={8}>
        {(found) => {
          const state = stateOf(found, now)
          const mayEnd = mayChange && state === 'live'
          const ways = [
            asCurl(location.origin, { method: 'DELETE', path }),
            asCommand(`agents revoke ${id}`, shop.handle),
          ]
          return (
            <>
              <ObjectHead name={found.client.name} id={found.id} place={place} ways={ways}>
                <Status tone={toneOf(state)} word={text.states[state] ?? state} />
                {identityOf(found)}
              </ObjectHead>
              {(mayEnd || done !== null) && (
                <section class="moves" aria-label={text.actions}>
                  {mayEnd && (
                    <div class="buttons">
                      <button ref={revoke} type="button" aria-expanded={isEnding} onClick={() => setEnding(!isEnding)}>
                        {text.revoke}
                      </button>
                    </div>
                  )}
                  {isEnding && (
                    <div class="panel-form">
                      <p>{text.revokeAbout}</p>
                      <Form
                        submit={text.revokeNamed(found.client.name)}
                        isDangerous
                        cancel={cancel}
                        send={async () => {
                          await api.agent.revoke(shop.handle, id)
                          setEnding(false)
                          setDone(text.revoked)
                          void agent.reload()
                          changed()
                        }}
                      />
                    </div>
                  )}
                  <p class="result" role="status" ref={result} tabIndex={-1}>
                    {done}
                  </p>
                </section>
              )}
              <AgentFacts shop={shop} found={found} />
              <AgentUse shop={shop} id={id} />
            </>
          )
        }}
      </Shown>
    </>
  )
}

function AgentFacts({ shop, found }: { shop: Shop; found: Agent }) {
  const at = (instant: string | null) => (instant === null ? text.never : <When at={instant} zone={shop.timeZone} />)
  return (
    <div class="facts">
      <dl>
        <Fact label={text.fields.access}>{found.access}</Fact>
        <Fact label={text.fields.resources}>{found.resources?.join(', ') ?? text.everything}</Fact>
        <Fact label={text.fields.redirect}>{found.client.redirectHost}</Fact>
        <Fact label={text.fields.client}>
          <code>{found.client.id}</code>
        </Fact>
        <Fact label={text.columns.created}>{at(found.createdAt)}</Fact>
        <Fact label={text.fields.expires}>{at(found.expiresAt)}</Fact>
        <Fact label={text.columns.used}>{at(found.lastUsedAt)}</Fact>
        {found.endedAt !== null && <Fact label={text.fields.ended}>{at(found.endedAt)}</Fact>}
        <Fact label={text.fields.operator}>
          <Approver id={found.operatorId} shop={shop} />
        </Fact>
      </dl>
    </div>
  )
}

// The API names who approved by id. An owner gets the page of the operator.
function Approver({ id, shop }: { id: string; shop: Shop }) {
  const now = session.get()
  if (now.state === 'in' && now.operator.id === id) return <>{now.operator.name}</>
  return (
    <LinkTo name="operators" shop={shop} id={id}>
      <code>{id}</code>
    </LinkTo>
  )
}

function AgentUse({ shop, id }: { shop: Shop; id: string }) {
  const usage = useLoad(`usage ${shop.handle}`, (signal) =>
    api.usage.list(shop.handle, { minutes: MINUTES }, { signal }),
  )
  const now = useNow()
  return (
    <section class="happened" aria-label={words.apiKeys.use}>
      <h3>{words.apiKeys.use}</h3>
      <Shown of={usage} rows={3}>
        {(rows) => {
          const minutes = minutesOf(rows, id, now)
          const said = words.apiKeys.useOf(sumOf(minutes))
          return (
            <>
              <p>{said}</p>
              <Minutes minutes={minutes} label={said} budget={BUDGET} className="minutes-wide" />
              <p class="hint">{text.budget(BUDGET)}</p>
            </>
          )
        }}
      </Shown>
      <p class="links">
        <LinkTo name="requests" shop={shop} search={`?key=${id}`}>
          {words.apiKeys.itsRequests}
        </LinkTo>
      </p>
    </section>
  )
}
