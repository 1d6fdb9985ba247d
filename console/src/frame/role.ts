// What the role of the operator allows.
import { type Session, session } from './session.ts'
import { useStore } from './store.ts'

/** Whether the operator may change things inside a shop. */
export function useMayChange(): boolean {
  return mayChange(useStore(session))
}

/** Whether the operator may retry deliveries, replay and send tests. */
export function useMaySend(): boolean {
  const now = useStore(session)
  return mayChange(now) || (now.state === 'in' && now.operator.role === 'support')
}

/** Whether the operator may make shops. */
export function useIsOwner(): boolean {
  const now = useStore(session)
  return now.state === 'in' && now.operator.role === 'owner'
}

function mayChange(now: Session): boolean {
  return now.state === 'in' && (now.operator.role === 'owner' || now.operator.role === 'manager')
}
