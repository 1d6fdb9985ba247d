// Tries a call of the public API or of a tool: makes a key, and shows the calls with it as they happen. The page cannot send them: they go
// to another origin (docs/decisions/0027-try-it-from-the-reference.md).
import { useState } from 'preact/hooks'
import { session } from '../../../frame/session.ts'
import { Field, Form } from '../../../parts/form.tsx'
import { LinkTo } from '../../../parts/link-to.tsx'
import { useLive } from '../../../parts/live.ts'
import { ShownOnce } from '../../../parts/secret/shown-once.tsx'
import { Status } from '../../../parts/status.tsx'
import type { Shop } from '../../../screens.ts'
import { words } from '../../../words/en.ts'
import type { BackOfficeSchemas } from '../../../../../clients/typescript/src/client.ts'
import { type Access, makeTryKey, revokeTryKey, type TryKey } from './key.ts'

export type Trying = {
  shops: readonly Shop[]
  shop: Shop | null
  choose: (handle: string) => void
  made: TryKey | null
  setMade: (key: TryKey | null) => void
}
type TryWithKeyProps = { trying: Trying; access: Access }
type Call = BackOfficeSchemas['Request']

const CALLS_SHOWN = 5
const text = words.reference.tryIt

export function TryWithKey({ trying, access }: TryWithKeyProps) {
  const { shop, made, setMade } = trying
  const [isRevoked, setRevoked] = useState(false)
  const now = session.get()
  const mayMake = now.state === 'in' && (now.operator.role === 'owner' || now.operator.role === 'manager')
  const fits = made !== null && (access === 'read' || made.access === 'write')
  return (
    <section class="try" aria-label={text.title}>
      <h3>{text.title}</h3>
      {!mayMake && <p class="soft">{text.role}</p>}
      {mayMake && shop === null && <p class="soft">{text.noShop}</p>}
      {mayMake && shop !== null && !fits && (
        <Form
          submit={text.make[access]}
          send={async () => {
            setRevoked(false)
            setMade(await makeTryKey(shop.handle, access))
          }}
        >
          {isRevoked && <p role="status">{text.revoked}</p>}
          {made !== null && <p>{text.needsWrite}</p>}
          <p>
            {text.about[access]} {shop.mode === 'live' && access === 'write' && <strong>{text.live}</strong>}
          </p>
          <Field label={text.shop}>
            <select value={shop.handle} onChange={({ currentTarget }) => trying.choose(currentTarget.value)}>
              {trying.shops.map(({ handle, name }) => (
                <option key={handle} value={handle}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
        </Form>
      )}
      {fits && (
        <Form
          submit={text.revoke}
          isDangerous
          send={async () => {
            await revokeTryKey(made)
            setMade(null)
            setRevoked(true)
          }}
        >
          <ShownOnce secret={made.secret} label={text.secret} />
          <MadeFor made={made} shops={trying.shops} />
        </Form>
      )}
    </section>
  )
}

function MadeFor({ made, shops }: { made: TryKey; shops: readonly Shop[] }) {
  const [calls, setCalls] = useState<readonly Call[]>([])
  const connection = useLive(made.shop, {
    request: (call) => {
      if (call.keyId === made.id) setCalls((before) => [call, ...before].slice(0, CALLS_SHOWN))
    },
  })
  const shop = shops.find(({ handle }) => handle === made.shop)
  return (
    <>
      <p class="soft">{text.ofShop(shop?.name ?? made.shop)}</p>
      {calls.length === 0 && (
        <p class="live-line" role="status">
          {connection === 'lost' ? text.cutOff : text.waiting}
        </p>
      )}
      {calls.length > 0 && (
        <ul class="live-line" aria-label={text.calls} aria-live="polite">
          {calls.map((call) => (
            <li key={call.id + call.at}>
              <Status tone={call.status < 400 ? 'ok' : 'warn'} word={calledOf(call)} />{' '}
              {call.status >= 400 && shop !== undefined && (
                <LinkTo name="requests" shop={shop} id={call.id}>
                  {text.why}
                </LinkTo>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function calledOf({ tool, method, route, status, durationMs }: Call): string {
  return text.called(tool ?? `${method} ${route ?? ''}`, status, durationMs)
}
