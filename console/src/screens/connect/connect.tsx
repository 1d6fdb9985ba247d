// An agent asks for access: who it is, and the decision of the operator, after which the browser goes back to the agent
// (docs/spec/agents-access.md#consent).
import { useState } from 'preact/hooks'
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { StorefrontError } from '../../../../clients/typescript/src/client.ts'
import { useLoad } from '../../frame/loading.ts'
import { api, type Operator, signOut } from '../../frame/session.ts'
import { ChoiceField, TextField } from '../../parts/fields/fields.tsx'
import { Checks, Form } from '../../parts/form.tsx'
import { Fact } from '../../parts/object/facts.tsx'
import { Empty, Problem, Shown } from '../../parts/state.tsx'
import { words } from '../../words/en.ts'

type Request = BackOfficeSchemas['AgentAuthorization']
type Shop = BackOfficeSchemas['ShopRecord']
type Approval = NonNullable<Parameters<typeof api.agent.approve>[1]>
type Resource = NonNullable<Approval['resources']>[number]

const text = words.connect
const resources: readonly Resource[] = ['orders', 'products', 'contacts', 'shop']
const lifetimes = ['1', '7', '30', '90'] as const
// Above it the shop is typed: a choice of thousands is none.
const SHOPS_MAX = 100

// The heading is ours alone: a name in it could read as a sentence of the product.
export function Connect({ id, operator }: { id: string; operator: Operator }) {
  const request = useLoad(`authorization ${id}`, (signal) => api.agent.authorization(id, { signal }))
  const [left, setLeft] = useState<string | null>(null)
  const leave = (to: string, said: string) => {
    setLeft(said)
    location.assign(to)
  }
  return (
    <main class="connect">
      <h1>{text.title}</h1>
      {isOver(request.error) ? (
        <p class="problem refused" role="alert">
          {request.error.message}
        </p>
      ) : (
        <Shown of={request} rows={8}>
          {(asked) => (
            <>
              <p>{text.about}</p>
              <Who asked={asked} />
              {left === null ? <Decision asked={asked} leave={leave} /> : <p role="status">{left}</p>}
            </>
          )}
        </Shown>
      )}
      <SignedIn operator={operator} />
    </main>
  )
}

// A request that was decided or is too old stays so: there is nothing to try again.
function isOver(error: unknown): error is StorefrontError {
  return error instanceof StorefrontError && error.code === 'conflict'
}

function SignedIn({ operator: { name, role } }: { operator: Operator }) {
  const [error, setError] = useState<unknown>(null)
  return (
    <div class="signed-in">
      <p class="hint">{text.signedInAs(name, role)}</p>
      <button type="button" class="link" onClick={() => void signOut({ everywhere: false }).catch(setError)}>
        {text.otherOperator}
      </button>
      {error !== null && <Problem error={error} />}
    </div>
  )
}

function Who({ asked: { client, access } }: { asked: Request }) {
  return (
    <section class="facts" aria-label={text.who}>
      <dl>
        <Fact label={text.calls}>
          <q>
            <bdi>{client.name}</bdi>
          </q>
        </Fact>
        <Fact label={text.identity}>
          {client.host === null ? <strong>{text.notVerified}</strong> : text.verified(client.host)}
        </Fact>
        <Fact label={text.goesTo}>
          <code>{client.redirectHost}</code>
        </Fact>
        <Fact label={text.asks}>{text.asked[access] ?? access}</Fact>
      </dl>
      {client.isLoopback && (
        <p class="problem caution" role="note">
          {text.loopback}
        </p>
      )}
    </section>
  )
}

function Decision({ asked, leave }: { asked: Request; leave: (to: string, said: string) => void }) {
  const shops = useLoad('shops to choose', firstShops)
  const [shop, setShop] = useState<string | null>(null)
  const [access, setAccess] = useState<'read' | 'write'>('read')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [days, setDays] = useState<(typeof lifetimes)[number]>('30')
  const [refusal, setRefusal] = useState<{ is: unknown } | null>(null)
  const approve = async (to: string) => {
    const reached = resources.filter((one) => chosen.includes(one))
    const approval: Approval = {
      shop: to,
      access,
      resources: reached.length === 0 ? null : reached,
      expiresInDays: Number(days) as NonNullable<Approval['expiresInDays']>,
    }
    const { redirectTo } = await api.agent.approve(asked.id, approval, { idempotencyKey: crypto.randomUUID() })
    leave(redirectTo, text.approved)
  }
  const refuse = async () => {
    try {
      const { redirectTo } = await api.agent.refuse(asked.id, {}, { idempotencyKey: crypto.randomUUID() })
      leave(redirectTo, text.refused)
    } catch (is) {
      setRefusal({ is })
    }
  }
  return (
    <Shown of={shops} rows={3}>
      {({ known, hasMore }) => {
        const only = known.length === 1 && !hasMore ? known[0]?.handle : undefined
        const to = shop ?? only ?? ''
        return (
          <>
            {known.length === 0 ? (
              <Empty sentence={text.noShop}>
                <button type="button" onClick={() => void refuse()}>
                  {text.refuse}
                </button>
              </Empty>
            ) : (
              <Form
                submit={text.approve}
                isReady={to !== ''}
                send={() => approve(to)}
                cancel={() => void refuse()}
                cancelWords={text.refuse}
              >
                {hasMore ? (
                  <TextField label={text.shop} hint={text.shopHint} name="shop" value={to} set={setShop} isRequired />
                ) : (
                  <ChoiceField
                    label={text.shop}
                    name="shop"
                    value={to}
                    set={setShop}
                    options={[['', text.chooseShop], ...known.map(({ handle, name }) => [handle, name] as const)]}
                  />
                )}
                <ChoiceField
                  label={text.access}
                  name="access"
                  value={access}
                  set={setAccess}
                  options={(asked.access === 'write' ? (['read', 'write'] as const) : (['read'] as const)).map(
                    (one) => [one, text.accesses[one]] as const,
                  )}
                />
                <Checks
                  label={text.resources}
                  hint={text.resourcesHint}
                  values={resources}
                  chosen={chosen}
                  choose={setChosen}
                />
                <ChoiceField
                  label={text.lifetime}
                  name="expiresInDays"
                  hint={text.lifetimeHint}
                  value={days}
                  set={setDays}
                  options={lifetimes.map((one) => [one, text.days(Number(one))] as const)}
                />
              </Form>
            )}
            {refusal !== null && <Problem error={refusal.is} />}
          </>
        )
      }}
    </Shown>
  )
}

async function firstShops(signal: AbortSignal): Promise<{ known: Shop[]; hasMore: boolean }> {
  const known: Shop[] = []
  for await (const shop of api.shops.list({ limit: 100 }, { signal })) {
    if (known.length === SHOPS_MAX) return { known, hasMore: true }
    known.push(shop)
  }
  return { known, hasMore: false }
}
