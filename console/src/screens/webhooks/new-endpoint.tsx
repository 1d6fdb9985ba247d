// Creates an endpoint, and shows a secret once: of a new endpoint, or after it was rotated.
import { useState } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import { ObjectHead } from '../../parts/object-beside.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { EndpointWithSecret } from './endpoint.ts'
import { EndpointForm } from './endpoint-form.tsx'

type NewEndpointProps = {
  shop: Shop
  isAlone: boolean
  close: () => void
  /** The list must be read again. */
  created: () => void
  /** Opens the endpoint. */
  open: (id: string) => void
}

const text = words.webhooks

export function NewEndpoint({ shop, isAlone, close, created, open }: NewEndpointProps) {
  const [made, setMade] = useState<EndpointWithSecret | null>(null)
  if (made !== null) {
    return <EndpointOnce made={made} isAlone={isAlone} close={() => open(made.id)} />
  }
  return (
    <>
      <ObjectHead name={text.create} isAlone={isAlone} close={close} />
      <EndpointForm
        submit={text.submit}
        first={{ url: '', events: [], description: null }}
        cancel={close}
        send={async (facts) => {
          setMade(await api.endpoints.create(shop.handle, facts, { idempotencyKey: crypto.randomUUID() }))
          created()
        }}
      />
    </>
  )
}

type EndpointOnceProps = { made: EndpointWithSecret; isAlone: boolean; close: () => void }

export function EndpointOnce({ made, isAlone, close }: EndpointOnceProps) {
  return (
    <>
      <ObjectHead name={made.url} isAlone={isAlone} close={close} />
      <ShownOnce secret={made.secret} label={text.secret} />
      <p class="soft">{text.secretAbout}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={close}>
          {words.secret.stored}
        </button>
      </div>
    </>
  )
}
