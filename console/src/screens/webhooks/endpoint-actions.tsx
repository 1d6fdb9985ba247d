// What can be done to an endpoint: send a test, change, pause, turn on again, rotate the secret, delete.
import { useState } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import { Field, Form } from '../../parts/form.tsx'
import { Problem } from '../../parts/state.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Endpoint, EndpointWithSecret } from './endpoint.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { SendTest } from './send-test.tsx'

type Action = 'test' | 'change' | 'resume' | 'rotate' | 'delete'
type EndpointActionsProps = {
  shop: Shop
  endpoint: Endpoint
  mayChange: boolean
  maySend: boolean
  changed: (after: Endpoint) => void
  rotated: (after: EndpointWithSecret) => void
  deleted: () => void
  /** Reads the endpoint again. */
  reload: () => void
}

const text = words.webhooks
const overlaps = [0, 3_600, 86_400, 604_800] as const

export function EndpointActions(props: EndpointActionsProps) {
  const { shop, endpoint, mayChange, maySend, changed, rotated, deleted, reload } = props
  const [open, setOpen] = useState<Action | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isPausing, setPausing] = useState(false)
  const [done, setDone] = useState<string | null>(null)
  const close = () => setOpen(null)
  const choose = (action: Action) => {
    setDone(null)
    setError(null)
    setOpen(action === open ? null : action)
  }
  const finish = (after: Endpoint, said: string) => {
    close()
    setDone(said)
    changed(after)
  }
  const pause = async () => {
    setOpen(null)
    setError(null)
    setPausing(true)
    try {
      finish(await api.endpoints.change(shop.handle, endpoint.id, { enabled: false }), text.paused)
    } catch (reason) {
      setError(reason)
    }
    setPausing(false)
  }
  const button = (action: Action) => (
    <button type="button" aria-expanded={open === action} onClick={() => choose(action)}>
      {text.actions[action]}
    </button>
  )
  return (
    <section class="moves" aria-label={text.actionsTitle}>
      <div class="buttons">
        {maySend && button('test')}
        {mayChange && button('change')}
        {mayChange && endpoint.enabled && (
          <button type="button" aria-busy={isPausing} onClick={() => void pause()}>
            {text.pause}
          </button>
        )}
        {mayChange && !endpoint.enabled && button('resume')}
        {mayChange && button('rotate')}
        {mayChange && button('delete')}
      </div>
      {open !== null && (
        <div class="panel-form">
          {open === 'test' && <SendTest shop={shop} endpoint={endpoint} sent={reload} />}
          {open === 'change' && (
            <EndpointForm
              submit={text.save}
              first={endpoint}
              cancel={close}
              send={async (facts) => finish(await api.endpoints.change(shop.handle, endpoint.id, facts), text.saved)}
            />
          )}
          {open === 'resume' && (
            <Resume shop={shop} endpoint={endpoint} cancel={close} done={(after) => finish(after, text.resumed)} />
          )}
          {open === 'rotate' && <Rotate shop={shop} endpoint={endpoint} cancel={close} done={rotated} />}
          {open === 'delete' && (
            <>
              <p>{text.deleteAbout(endpoint.waiting)}</p>
              <Form
                submit={text.deleteNow}
                isDangerous
                cancel={close}
                send={async () => {
                  await api.endpoints.delete(shop.handle, endpoint.id)
                  deleted()
                }}
              />
            </>
          )}
        </div>
      )}
      {error !== null && <Problem error={error} />}
      <p class="result" role="status">
        {done}
      </p>
    </section>
  )
}

type PartProps<After> = { shop: Shop; endpoint: Endpoint; cancel: () => void; done: (after: After) => void }

function Resume({ shop, endpoint, cancel, done }: PartProps<Endpoint>) {
  const [held, setHeld] = useState<'deliver' | 'skip'>('deliver')
  const send = async () => done(await api.endpoints.change(shop.handle, endpoint.id, { enabled: true, held }))
  return (
    <Form submit={text.resumeNow} send={send} cancel={cancel}>
      <Field label={text.held(endpoint.waiting)}>
        <select
          value={held}
          onChange={({ currentTarget }) => setHeld(currentTarget.value === 'skip' ? 'skip' : 'deliver')}
        >
          <option value="deliver">{text.heldDeliver}</option>
          <option value="skip">{text.heldSkip}</option>
        </select>
      </Field>
    </Form>
  )
}

function Rotate({ shop, endpoint, cancel, done }: PartProps<EndpointWithSecret>) {
  const [overlap, setOverlap] = useState('86400')
  const send = async () => {
    const options = { idempotencyKey: crypto.randomUUID() }
    done(await api.endpoints.rotateSecret(shop.handle, endpoint.id, { overlapSeconds: Number(overlap) }, options))
  }
  return (
    <Form submit={text.rotateNow} send={send} cancel={cancel}>
      <Field label={words.secret.overlap} hint={text.rotateHint}>
        <select value={overlap} onChange={({ currentTarget }) => setOverlap(currentTarget.value)}>
          {overlaps.map((seconds) => (
            <option key={seconds} value={String(seconds)}>
              {words.secret.overlaps[seconds]}
            </option>
          ))}
        </select>
      </Field>
    </Form>
  )
}
