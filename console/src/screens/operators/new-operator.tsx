// Creates an operator, and opens it.
import { useMemo } from 'preact/hooks'
import { go } from '../../frame/address.ts'
import { api } from '../../frame/session.ts'
import { callKeys } from '../../parts/fields/changes.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { words } from '../../words/en.ts'
import { OperatorForm } from './operator-form.tsx'

type NewOperatorProps = {
  place: Place
  /** The list must be read again. */
  created: () => void
}

const text = words.operators

export function NewOperator({ place, created }: NewOperatorProps) {
  const keyOf = useMemo(callKeys, [])
  return (
    <>
      <ObjectHead name={text.new} place={place} />
      <OperatorForm
        first={{ name: '', email: '', role: 'manager', shops: [] }}
        submit={text.create}
        cancel={place.close}
        send={async (body) => {
          const { id } = await api.operators.create(body, { idempotencyKey: keyOf(body) })
          created()
          go(`/operators/${id}`)
        }}
      />
    </>
  )
}
