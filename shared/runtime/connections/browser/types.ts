import type { FailureJson } from '#kit'
import type { ConnectionView } from '../connections.ts'
import type { Caller } from '../../ports/index.ts'

/** What a person is to connect. */
export type ConnectWanted = {
  integration?: string | undefined
  type?: string | undefined
  /** The person chooses among these, where `integration` is not given. */
  integrations?: string[] | undefined
  /**
   * Connection types that may be used; absent: the recommended one that is set up, and where the person chooses every
   * one that is.
   */
  types?: string[] | undefined
  /** How long the link may be opened; absent: ten minutes. */
  expiresInMs?: number | undefined
  /** Id or name of an account to reconnect. */
  connection?: string | undefined
  name?: string | undefined
  /** Name of a wire profile of the integration, preselected on the page. */
  profile?: string | undefined
  /** A path of this server, or an address on one of the operator's `returnOrigins`. */
  returnTo?: string | undefined
  externalId?: string | undefined
  labels?: Record<string, string> | undefined
}
/** `url` is our own page; it is opened in the browser of the person who has the account. */
export type ConnectBegun = { url: string; state: string; expiresAt: string }

export type SecretField = { name: string; title: string; description: string; value: string }
/** A page that asks for secrets. */
export type ConnectForm = {
  integration: string
  title: string
  /** Of the type: what it is for, and where the values are found. */
  typeTitle: string
  purpose: string
  help: string | null
  fields: SecretField[]
  /** Which provider or version of its API the secrets are for, where there is a choice. */
  profiles: { name: string; title: string; isChosen: boolean }[]
  /** Authorize address of the token page; null while the key is not known, undefined where there is none. */
  authorizeUrl: string | null | undefined
  /** Name of the account that is reconnected. */
  reconnects: string | null
  workspace: string
  /** Who made the link, as far as it is known. */
  requester: string | null
  /** What was wrong with what was sent. */
  problem: FailureJson | null
}
/** Shown before a browser leaves for the provider, so that nobody's account goes into a workspace they do not know. */
export type ConnectLeave = Pick<ConnectForm, 'title' | 'purpose' | 'reconnects' | 'workspace' | 'requester'> & {
  /** The account at the provider that is reconnected. */
  account: string | null
  /** Origin of the page it goes to. */
  to: string
}
/** Which accounts its person may connect. `value`: what the page sends back. */
export type ConnectChoices = {
  choices: { value: string; title: string; typeTitle: string; purpose: string }[]
  workspace: string
  requester: string | null
}
export type ConnectDone = {
  connection: ConnectionView
  title: string
  workspace: string
  reconnected: boolean
  returnTo: string | null
}
/** Why a browser was turned away. Each has a page that says what to do. */
export type Refusal = 'no-state' | 'expired' | 'foreign-browser' | 'mixed-up' | 'denied' | 'another-account' | 'failed'

export type ConnectPage =
  | { kind: 'redirect'; url: string }
  | { kind: 'form'; form: ConnectForm }
  | { kind: 'leave'; leave: ConnectLeave }
  | { kind: 'choose'; choose: ConnectChoices }
  | { kind: 'done'; done: ConnectDone }
  | { kind: 'refused'; refusal: Refusal; title: string | null; failure: FailureJson | null; returnTo: string | null }

export type Connect = {
  /** @throws Failure when there is nothing to connect with (app, profile), or `connection` is not there */
  begin(caller: Caller, request: ConnectWanted): Promise<ConnectBegun>
  /** Our page: binds the browser, says who wants what, and asks for secrets or whether to go on to the provider. */
  open(state: string, browser: string): Promise<ConnectPage>
  /**
   * The secrets of our page, or the word (`leave`: `yes`) to go on to the provider; where a token page has only the key
   * yet, it goes on with that.
   */
  submit(state: string, browser: string | undefined, fields: Record<string, string>): Promise<ConnectPage>
  /** The provider's answer, as the browser brings it. */
  finish(integration: string, browser: string | undefined, returned: URL): Promise<ConnectPage>
  /** The address this server is reached at, without a last "/". Throws `unavailable` while nobody has said it. */
  base(): string
}
