/** Who is signed in. */
import { signal } from '@preact/signals'
import { ApiError, call, csrfToken, get, post, sessionEnded } from './client.ts'

export type Scope = 'run' | 'connections' | 'subscriptions' | 'read' | 'metrics' | 'admin'
export type Session = {
  tenant: { id: string; name: string }
  token: { id: string; name: string; scopes: Scope[]; steps: string[] | null; connections: string[] | null; toolSet: string | null; expiresAt: string | null }
  csrfToken?: string
  expiresAt: string
}

export const session = signal<Session | undefined>(undefined)

const enter = (known: Session) => {
  csrfToken.value = known.csrfToken
  sessionEnded.value = false
  session.value = known
}

/** The session that the cookie opens, if it does. @throws ApiError for anything but a missing session */
export const resume = async () => {
  try {
    enter(await get<Session>('session'))
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.problem.status !== 401) throw thrown
  }
}

/** @throws ApiError */
export const signIn = async (given: { code: string } | { token: string }) => enter(await post<Session>('session', given))

/** @throws ApiError */
export const signOut = async () => {
  await call('DELETE', 'session')
  csrfToken.value = undefined
  session.value = undefined
}

/** Whether the session's token has a scope. */
export const may = (scope: Scope) => session.value?.token.scopes.includes(scope) ?? false
