// One operator: what it may do, its form, its tokens, and how it is signed in, signed out and disabled.
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { changesOf } from '../../parts/fields/changes.ts'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { EditPanel, useEdit } from '../../parts/object/edit.tsx'
import { Fact } from '../../parts/object/facts.tsx'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import { ownZone } from '../../parts/time.ts'
import { When } from '../../parts/when.tsx'
import { words } from '../../words/en.ts'
import { type Operator, roles, statusOf } from './operator.ts'
import { OperatorActions } from './operator-actions.tsx'
import { type OperatorFacts, OperatorForm } from './operator-form.tsx'
import { nameIn, useShopNames } from './shop-names.ts'
import { Tokens } from './tokens.tsx'

type OperatorDetailProps = { id: string; place: Place; changed: (operator: Operator) => void }

const text = words.operators

export function OperatorDetail({ id, place, changed }: OperatorDetailProps) {
  const operator = useLoad(`operator ${id}`, (signal) => api.operators.get(id, { signal }))
  const edit = useEdit(true)
  const put = (after: Operator) => {
    operator.put(after)
    changed(after)
  }
  const ways = [
    asCurl(location.origin, { method: 'GET', path: `/operators/${id}` }),
    asCommand(`operators show ${id}`, null),
  ]
  return (
    <>
      {place.isAlone && operator.data === null && <h1>{text.one}</h1>}
      <Shown of={operator} rows={8}>
        {(data) => (
          <>
            <ObjectHead name={data.name} id={id} place={place} ways={ways}>
              <Status {...statusOf(data)} />
              <span>{data.role}</span>
            </ObjectHead>
            <OperatorActions operator={data} edit={edit} changed={put} />
            <EditPanel edit={edit}>
              {() => (
                <OperatorForm
                  first={factsOf(data)}
                  submit={words.forms.save}
                  cancel={edit.close}
                  send={async (facts) => {
                    put(await api.operators.change(id, changesOf(factsOf(data), facts)))
                    edit.saved()
                  }}
                />
              )}
            </EditPanel>
            <OperatorFactList operator={data} />
            <Tokens operator={data} />
          </>
        )}
      </Shown>
    </>
  )
}

function factsOf({ name, email, role, shops }: Operator): OperatorFacts {
  return { name, email: email ?? '', role: roles.find((one) => one === role) ?? 'viewer', shops }
}

function OperatorFactList({ operator }: { operator: Operator }) {
  const names = useShopNames()
  const zone = ownZone()
  const { email, role, shops, createdAt, lastSeenAt, disabledAt } = operator
  const known = roles.find((one) => one === role)
  const at = (instant: string | null) => instant !== null && <When at={instant} zone={zone} />
  return (
    <div class="facts">
      <dl>
        <Fact label={text.columns.email}>{email}</Fact>
        <Fact label={text.columns.role}>{known === undefined ? role : text.may[known]}</Fact>
        <Fact label={text.columns.shops}>
          {shops === null
            ? text.allShops
            : shops.length === 0
              ? text.noShops
              : shops.map((shop) => (
                  <div key={shop}>
                    <a href={`/s/${shop}`}>{nameIn(names, shop)}</a>
                  </div>
                ))}
        </Fact>
        <Fact label={text.columns.seen}>{at(lastSeenAt) || text.never}</Fact>
        <Fact label={text.created}>{at(createdAt)}</Fact>
        <Fact label={text.disabledAt}>{at(disabledAt)}</Fact>
      </dl>
    </div>
  )
}
