// Operators: who may use the back office, and one operator beside the list. For owners.
import { useCallback, useMemo, useState } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import type { ListConfig } from '../../parts/list/list.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import { Status } from '../../parts/status.tsx'
import { ownZone } from '../../parts/time.ts'
import { When } from '../../parts/when.tsx'
import type { WideScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { NewOperator } from './new-operator.tsx'
import { type Operator, shopsWords, statusOf } from './operator.ts'
import { OperatorDetail } from './operator-detail.tsx'

type OperatorQuery = NonNullable<Parameters<typeof api.operators.list>[0]>

const text = words.operators
const PATH = '/operators'
/** `/operators/new` is the form of a new operator. */
const NEW = 'new'

export function Operators({ id }: WideScreenProps) {
  const [changed, setChanged] = useState<Operator | null>(null)
  const [version, setVersion] = useState(0)
  const created = useCallback(() => setVersion((before) => before + 1), [])
  const config = useMemo(operatorsList, [])
  return (
    <ListAndObject config={config} id={id} one={text.one} changed={changed} version={version}>
      {(open, place) =>
        open === NEW ? (
          <NewOperator place={place} created={created} />
        ) : (
          <OperatorDetail key={open} id={open} place={place} changed={setChanged} />
        )
      }
    </ListAndObject>
  )
}

function operatorsList(): ListConfig<Operator> {
  const zone = ownZone()
  const create = (
    <a class="button" href={`${PATH}/${NEW}`}>
      {text.new}
    </a>
  )
  return {
    name: 'operators',
    title: words.screens.operators,
    path: PATH,
    zone,
    filters: [{ kind: 'email', name: 'email' }],
    columns: [
      { label: text.columns.name, cell: ({ name }) => name },
      { label: text.columns.email, cell: ({ email }) => email, isExtra: true },
      { label: text.columns.role, cell: ({ role }) => role },
      { label: text.columns.shops, cell: shopsWords, isExtra: true },
      { label: text.columns.state, cell: (operator) => <Status {...statusOf(operator)} /> },
      {
        label: text.columns.seen,
        cell: ({ lastSeenAt }) => (lastSeenAt === null ? text.never : <When at={lastSeenAt} zone={zone} />),
        isNumber: true,
      },
    ],
    idOf: ({ id }) => id,
    timeOf: ({ createdAt }) => createdAt,
    list: (query, signal) => api.operators.list(query as OperatorQuery, { signal }),
    actions: [],
    exports: [],
    ways: (query) => [
      asCurl(location.origin, { method: 'GET', path: PATH, query }),
      asCommand('operators list', null, query),
    ],
    curlOf: (id) => asCurl(location.origin, { method: 'GET', path: `${PATH}/${id}` }).text,
    empty: { sentence: text.empty, action: create },
    buttons: create,
  }
}
