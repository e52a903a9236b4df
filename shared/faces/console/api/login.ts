/** Signing in at the operator's OpenID provider, and going on to the page of this server that asked for it. */
import { consoleRoot } from './root.ts'

/** What people know the provider as; undefined: there is none. The server writes it into the page. */
export const readLoginName = (): string | undefined =>
  document.querySelector<HTMLMetaElement>('meta[name="toolyard-login"]')?.content || undefined

/** The page that sent the browser here to sign in; the server decides whether it is one of its own. */
export const nextPage = (): string | undefined => new URLSearchParams(location.search).get('next') ?? undefined

const loginRoot = () => new URL('../login', new URL(consoleRoot, location.origin)).pathname

/** Address that signs in at the provider and comes back to the page that asked for it, or else to this one. */
export const loginAddress = () =>
  `${loginRoot()}?next=${encodeURIComponent(nextPage() ?? location.pathname + location.search)}`

/** Address that goes on to the page that sent the browser here. */
export const onwardAddress = (next: string) => `${loginRoot()}/next?next=${encodeURIComponent(next)}`
