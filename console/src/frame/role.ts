// What the role of the operator allows.
import { session } from './session.ts'
import { useStore } from './store.ts'

/** Whether the operator may change orders, products, contacts and memberships. */
export function useMayChange(): boolean {
  const now = useStore(session)
  return now.state === 'in' && (now.operator.role === 'owner' || now.operator.role === 'manager')
}
