// The session of the operator, and the client that makes all calls. A call that is answered 401 ends the session on the page, which
// then shows the sign-in and comes back to where the operator was.
import {
  createBackOffice,
  StorefrontError,
  type BackOffice,
  type BackOfficeSchemas,
} from '../../../clients/typescript/src/client.ts'
import { createStore } from './store.ts'

export type Operator = BackOfficeSchemas['Operator']
export type Session =
  | { state: 'unknown'; error: unknown }
  | { state: 'out'; hasEnded: boolean }
  | { state: 'in'; operator: Operator }

export const session = createStore<Session>({ state: 'unknown', error: null })

/** The client of the back office. */
export const api: BackOffice = clientBy((...call) => fetch(...call))

const SIGN_IN = '/admin/v1/session'
/** Begins the sign-in by the OpenID provider; a plain link. */
export const OPEN_ID_PATH = `${SIGN_IN}/oidc`

/** A call as `fetch` makes it, for what the client has no method for. */
export function fetchOffice(...call: Parameters<typeof fetch>): Promise<Response> {
  return watched(fetch(...call))
}

/** A client of the session that calls by a `fetch` of its own, such as one that tells how much of a file is sent. */
export function clientBy(send: typeof fetch): BackOffice {
  const watchedSend: typeof fetch = (...call) => watched(send(...call))
  return createBackOffice({ baseUrl: location.origin, session: true, fetch: watchedSend })
}

async function watched(sent: Promise<Response>): Promise<Response> {
  const response = await sent
  if (response.status === 401 && session.get().state === 'in') session.set({ state: 'out', hasEnded: true })
  return response
}

/** Finds out who is signed in; a code in the address (`/#code=…`) signs in first. */
export async function openSession(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  // The code must be neither in the history nor on the screen afterwards.
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  try {
    if (code !== null) return await signIn({ code })
    session.set({ state: 'in', operator: await api.operators.me() })
  } catch (error) {
    const isOut = error instanceof StorefrontError && error.status === 401
    session.set(isOut && code === null ? { state: 'out', hasEnded: false } : { state: 'unknown', error })
  }
}

/** Signs in by a token or by the code of a link; throws the refusal. */
export async function signIn(credential: { token: string } | { code: string }): Promise<void> {
  session.set({ state: 'in', operator: await api.sessions.create(credential) })
}

/** Ends this session, or all of the operator. */
export async function signOut({ everywhere }: { everywhere: boolean }): Promise<void> {
  const now = session.get()
  if (everywhere && now.state === 'in') await api.operators.endSessions(now.operator.id)
  else await api.sessions.end()
  session.set({ state: 'out', hasEnded: false })
}
