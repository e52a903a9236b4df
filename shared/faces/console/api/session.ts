/** The session of the signed-in user. */
import { signal } from '@preact/signals'
import { ApiError, call, csrfToken, get, post, sessionEnded } from './client.ts'
import { consoleRoot } from './root.ts'
import type { Session } from '../../../api/resources/session.ts'

export type Scope = Session['token']['scopes'][number]

export const session = signal<Session | undefined>(undefined)

/** Removes what this browser tab remembers of a session, such as the inputs that it sent. */
const forget = () => {
  try {
    sessionStorage.clear()
  } catch {
    // A browser that stores nothing has nothing to forget.
  }
}

const enter = (newSession: Session) => {
  // Data that was read for another user must not stay in memory.
  if (session.value && session.value.token.id !== newSession.token.id) {
    forget()
    return location.reload()
  }
  csrfToken.value = newSession.csrfToken
  sessionEnded.value = false
  session.value = newSession
}

/** Continues the session of the cookie, if it is still valid. @throws ApiError for anything but a missing session */
export const resume = async () => {
  try {
    enter(await get<Session>('session'))
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.problem.status !== 401) throw thrown
  }
}

/** @throws ApiError */
export const signIn = async (credentials: { code: string } | { token: string }) =>
  enter(await post<Session>('session', credentials))

/** Loads a new page, so that nothing that was read stays in memory. @throws ApiError */
export const signOut = async () => {
  await call('DELETE', 'session')
  forget()
  location.replace(consoleRoot)
}

/** Whether the session's token may name the person whom it acts for. */
export const isForAnybody = () => session.value?.token.person == null

/** Whether the session's token sees what is about the whole workspace. */
export const isForWorkspace = () => isForAnybody() && session.value?.token.connections == null
/** Whether the session's token is bound to nothing. */
export const isUnbound = () =>
  isForWorkspace() && session.value?.token.steps == null && session.value?.token.toolSet == null

/** Whether the session's token has a scope. */
export const may = (scope: Scope) => session.value?.token.scopes.includes(scope) ?? false
