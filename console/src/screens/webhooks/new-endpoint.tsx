// Creates an endpoint, and shows a secret once: of a new endpoint, or after it was rotated.
import { useState } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { ShownOnce } from '../../parts/secret/shown-once.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { EndpointWithSecret } from './endpoint.ts'
import { EndpointForm } from './endpoint-form.tsx'

type NewEndpointProps = {
  shop: Shop
  place: Place
  /** The list must be read again. */
  created: () => void
  /** Opens the endpoint. */
  open: (id: string) => void
}

const text = words.webhooks

export function NewEndpoint({ shop, place, created, open }: NewEndpointProps) {
  const [made, setMade] = useState<EndpointWithSecret | null>(null)
  if (made !== null) {
    return <EndpointOnce made={made} place={{ ...place, close: () => open(made.id) }} />
  }
  return (
    <>
      <ObjectHead name={text.create} place={place} />
      <EndpointForm
        submit={text.submit}
        first={{ url: '', events: [], description: null }}
        cancel={place.close}
        send={async (facts) => {
          setMade(await api.endpoints.create(shop.handle, facts, { idempotencyKey: crypto.randomUUID() }))
          created()
        }}
      />
    </>
  )
}

type EndpointOnceProps = { made: EndpointWithSecret; place: Place }

export function EndpointOnce({ made, place }: EndpointOnceProps) {
  return (
    <>
      <ObjectHead name={made.url} place={place} />
      <ShownOnce secret={made.secret} label={text.secret} />
      <p class="soft">{text.secretAbout}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={place.close}>
          {words.secret.stored}
        </button>
      </div>
    </>
  )
}
