// What can be done to an operator: change, make a sign-in link, end its sessions, disable it. A refusal stands where it happened.
import { useState } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import { Form } from '../../parts/form.tsx'
import { type Edit, EditButton } from '../../parts/object/edit.tsx'
import { ShownOnce } from '../../parts/secret/shown-once.tsx'
import { Problem } from '../../parts/state.tsx'
import { shopTime, ownZone } from '../../parts/time.ts'
import { words } from '../../words/en.ts'
import type { Operator, SignInLink } from './operator.ts'

type OperatorActionsProps = { operator: Operator; edit: Edit; changed: (operator: Operator) => void }
type Action = 'end' | 'disable'

const text = words.operators

export function OperatorActions({ operator, edit, changed }: OperatorActionsProps) {
  const { id, name, disabledAt } = operator
  const [open, setOpen] = useState<Action | null>(null)
  const [link, setLink] = useState<SignInLink | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [said, setSaid] = useState<string | null>(null)
  const reason = disabledAt === null ? null : text.isDisabled
  const start = (act: () => void, label: string) => {
    setError(null)
    setLink(null)
    setSaid(reason === null ? null : `${label}: ${reason}`)
    if (reason === null) act()
  }
  const makeLink = async () => {
    setBusy(true)
    setOpen(null)
    try {
      setLink(await api.operators.createLink(id, {}, { idempotencyKey: crypto.randomUUID() }))
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
  }
  const finish = (after: Operator, done: string) => {
    setOpen(null)
    setSaid(done)
    changed(after)
  }
  const toggle = (action: Action) => setOpen(open === action ? null : action)
  return (
    <section class="moves" aria-label={text.actions}>
      <div class="buttons">
        <EditButton edit={edit} say={setSaid} />
        <button
          type="button"
          aria-disabled={reason !== null}
          aria-busy={isBusy}
          title={reason ?? undefined}
          onClick={() => start(() => void makeLink(), text.link)}
        >
          {text.link}
        </button>
        <button type="button" aria-expanded={open === 'end'} onClick={() => toggle('end')}>
          {text.end}
        </button>
        <button
          type="button"
          aria-disabled={reason !== null}
          aria-expanded={open === 'disable'}
          title={reason ?? undefined}
          onClick={() => start(() => toggle('disable'), text.disable)}
        >
          {text.disable}
        </button>
      </div>
      {link !== null && (
        <>
          <ShownOnce secret={link.url} label={text.link} />
          <p class="hint">{text.linkAbout(name, shopTime(link.expiresAt, ownZone(), new Date()))}</p>
        </>
      )}
      {open === 'end' && (
        <div class="panel-form">
          <p>{text.endAbout}</p>
          <Form
            submit={text.endNow}
            cancel={() => setOpen(null)}
            send={async () => finish(await api.operators.endSessions(id), text.ended)}
          />
        </div>
      )}
      {open === 'disable' && (
        <div class="panel-form">
          <p>{text.disableAbout}</p>
          <Form
            submit={text.disableNamed(name)}
            isDangerous
            cancel={() => setOpen(null)}
            send={async () =>
              finish(await api.operators.disable(id, {}, { idempotencyKey: crypto.randomUUID() }), text.disabledNow)
            }
          />
        </div>
      )}
      {error !== null && <Problem error={error} />}
      <p class="result" role="status">
        {said}
      </p>
    </section>
  )
}
