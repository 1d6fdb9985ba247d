// The tokens of an operator: the list with revoke, and a new one, whose secret is shown once.
import { useMemo, useState } from 'preact/hooks'
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { callKeys } from '../../parts/fields/changes.ts'
import { ChoiceField, TextField } from '../../parts/fields/fields.tsx'
import { Form } from '../../parts/form.tsx'
import { Related } from '../../parts/object/related.tsx'
import { ShownOnce } from '../../parts/secret/shown-once.tsx'
import { Status } from '../../parts/status.tsx'
import { ownZone } from '../../parts/time.ts'
import { useNow, When } from '../../parts/when.tsx'
import { words } from '../../words/en.ts'
import { type NewToken, type Operator, type Token, tokenStatusOf } from './operator.ts'

const text = words.operators.tokens
const SHOWN = 100
const DAY_MS = 86_400_000
const lifetimes = ['0', '7', '30', '90', '365'] as const

export function Tokens({ operator }: { operator: Operator }) {
  const { id, disabledAt } = operator
  const tokens = useLoad(`tokens ${id}`, (signal) =>
    firstPage(api.operatorTokens.list(id, { limit: SHOWN }, { signal })),
  )
  const [isOpen, setOpen] = useState(false)
  const [made, setMade] = useState<NewToken | null>(null)
  const [revoking, setRevoking] = useState<Token | null>(null)
  const now = useNow()
  return (
    <>
      <Related
        title={text.title}
        of={tokens}
        empty={() => text.none}
        lines={({ data }) =>
          data.map((token) => ({
            key: token.id,
            line: (
              <TokenLine token={token} now={now} revoke={() => setRevoking(revoking?.id === token.id ? null : token)} />
            ),
          }))
        }
        more={() =>
          disabledAt === null &&
          !isOpen && (
            <div class="buttons">
              <button
                type="button"
                onClick={() => {
                  setMade(null)
                  setOpen(true)
                }}
              >
                {text.new}
              </button>
            </div>
          )
        }
      />
      {revoking !== null && (
        <div class="panel-form">
          <p>{text.revokeAbout}</p>
          <Form
            submit={text.revokeNamed(revoking.name)}
            isDangerous
            cancel={() => setRevoking(null)}
            send={async () => {
              await api.operatorTokens.revoke(id, revoking.id)
              setRevoking(null)
              await tokens.reload()
            }}
          />
        </div>
      )}
      {isOpen && (
        <NewTokenForm
          id={id}
          cancel={() => setOpen(false)}
          done={(token) => {
            setOpen(false)
            setMade(token)
            void tokens.reload()
          }}
        />
      )}
      {made !== null && (
        <>
          <ShownOnce secret={made.secret} label={text.secret(made.name)} />
          <div class="buttons">
            <button type="button" class="primary" onClick={() => setMade(null)}>
              {words.secret.stored}
            </button>
          </div>
        </>
      )}
    </>
  )
}

function TokenLine({ token, now, revoke }: { token: Token; now: Date; revoke: () => void }) {
  const zone = ownZone()
  const status = tokenStatusOf(token, now)
  return (
    <>
      <span>
        {token.name}{' '}
        <code>
          {token.prefix}…{token.lastFour}
        </code>
      </span>
      <Status {...status} />
      <span class="soft">
        {token.lastUsedAt === null ? text.unused : text.used}{' '}
        {token.lastUsedAt !== null && <When at={token.lastUsedAt} zone={zone} />}
      </span>
      {token.expiresAt !== null && (
        <span class="soft">
          {text.expires} <When at={token.expiresAt} zone={zone} />
        </span>
      )}
      {status.tone === 'ok' && (
        <button type="button" class="link" aria-label={text.revokeNamed(token.name)} onClick={revoke}>
          {text.revoke}
        </button>
      )}
    </>
  )
}

type NewTokenFormProps = { id: string; cancel: () => void; done: (token: NewToken) => void }

function NewTokenForm({ id, cancel, done }: NewTokenFormProps) {
  const keyOf = useMemo(callKeys, [])
  const [name, setName] = useState('')
  const [days, setDays] = useState<(typeof lifetimes)[number]>('0')
  // Of the same choice the same instant, so that a repeat is the same call.
  const expiresAt = useMemo(
    () => (days === '0' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString()),
    [days],
  )
  const send = async () => {
    const body = { name, expiresAt }
    done(await api.operatorTokens.create(id, body, { idempotencyKey: keyOf(body) }))
  }
  return (
    <div class="panel-form">
      <Form submit={text.create} send={send} cancel={cancel}>
        <TextField name="name" label={text.name} hint={text.nameHint} isRequired value={name} set={setName} />
        <ChoiceField
          name="expiresAt"
          label={text.lifetime}
          value={days}
          set={setDays}
          options={lifetimes.map((one) => [one, words.apiKeys.lifetime(Number(one))])}
        />
      </Form>
    </div>
  )
}
