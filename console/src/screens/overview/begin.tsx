// How to begin with a shop that nothing has called yet: the steps that the role may do, with what is done.
import { useMayChange } from '../../frame/role.ts'
import { session } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { Status } from '../../parts/status.tsx'
import { hrefOf, type Screen, type Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Endpoint, Key } from './facts.ts'

const text = words.overview.begin
type BeginProps = { shop: Shop; keys: readonly Key[]; endpoints: readonly Endpoint[] | null }
type Step = { name: Screen['name']; id?: string; label: string; about: string; isDone: boolean }

export function Begin({ shop, keys, endpoints }: BeginProps) {
  const mayChange = useMayChange()
  const now = useStore(session)
  const role = now.state === 'in' ? now.operator.role : ''
  const steps: Step[] = [
    { name: 'keys', id: 'new', label: text.key, about: text.keyAbout, isDone: keys.length > 0 },
    { name: 'import', label: text.import, about: text.importAbout, isDone: false },
    {
      name: 'webhooks',
      id: 'new',
      label: text.endpoint,
      about: text.endpointAbout,
      isDone: endpoints !== null && endpoints.length > 0,
    },
    { name: 'orders', id: 'new', label: text.order, about: text.orderAbout, isDone: false },
  ]
  return (
    <section class="begin" aria-label={text.title}>
      <h2>{text.title}</h2>
      <p>{text.about}</p>
      {mayChange && (
        <ol>
          {steps.map(({ name, id, label, about, isDone }) => {
            const href = hrefOf(name, shop.handle, role, id)
            if (href === null) return null
            return (
              <li key={label}>
                <a href={href}>{label}</a> {isDone && <Status tone="ok" word={text.done} />}
                <p class="soft">{about}</p>
              </li>
            )
          })}
        </ol>
      )}
    </section>
  )
}
