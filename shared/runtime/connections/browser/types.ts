import type { FailureJson } from '#kit'
import type { ConnectionView } from '../connections.ts'
import type { Authorization, Caller } from '../../ports/index.ts'

/** The languages of the connect pages, besides English. */
export const pageLocales = ['de'] as const
export type PageLocale = 'en' | (typeof pageLocales)[number]

/** A flow under way, and the language in which its pages are shown. */
export type Flow = Authorization & { locale: PageLocale }

/** A request to connect an account in the browser. */
export type ConnectRequest = {
  integration?: string | undefined
  type?: string | undefined
  /** The integrations that the person chooses from; instead of `integration`. */
  integrations?: string[] | undefined
  /**
   * Allowed connection types. Absent: the recommended one that is set up or, if the person chooses, all that are set
   * up.
   */
  types?: string[] | undefined
  /** How long the link can be opened, in ms; absent: ten minutes. */
  expiresInMs?: number | undefined
  /** Id or name of the connection to reconnect. */
  connection?: string | undefined
  name?: string | undefined
  /** Name of the integration's wire profile that is preselected on the page. */
  profile?: string | undefined
  /** A path of this server, or an address on one of the operator's `returnOrigins`. */
  returnTo?: string | undefined
  /** Language of the pages, a BCP 47 tag; absent: that of the browser. */
  locale?: string | undefined
  externalId?: string | undefined
  /** The person who connects their own account; absent: it becomes the workspace's. */
  person?: string | undefined
  labels?: Record<string, string> | undefined
}
/** `url`: our own page, to be opened in the browser of the person who has the account. */
export type ConnectPageLink = { url: string; state: string; expiresAt: string }

export type SecretField = { name: string; title: string; description: string; value: string }
/** A page that asks for secrets. */
export type ConnectForm = {
  integration: string
  title: string
  /**
   * Title of the connection type; with `purpose` and `help`, which say what it is for and where its values are found.
   */
  typeTitle: string
  purpose: string
  help: string | null
  fields: SecretField[]
  /** Choice of the provider, or of the version of its API, that the secrets are for; empty without a choice. */
  profiles: { name: string; title: string; isChosen: boolean }[]
  /**
   * Address of the provider's token page; null while the app key is unknown, undefined for types without such a page.
   */
  authorizeUrl: string | null | undefined
  /** Name of the connection that is reconnected; null: a new one. */
  reconnects: string | null
  workspace: string
  /** Who created the link, if known. */
  requester: string | null
  /** Why the submitted values were not accepted. */
  problem: FailureJson | null
}
/**
 * Shown before the browser goes to the provider, so that nobody connects an account to a workspace they do not know.
 */
export type ConnectLeave = Pick<ConnectForm, 'title' | 'purpose' | 'reconnects' | 'workspace' | 'requester'> & {
  /** Name of the account at the provider that is reconnected. */
  account: string | null
  /** Origin of the provider's page; a pattern of it while the address of the account is not known. */
  to: string
  /** The address of the account, where the browser goes to it and whoever connects has to name it. */
  address: SecretField | null
  /** Why the submitted address was not accepted. */
  problem: FailureJson | null
}
/** The accounts that the person may connect. `value`: what the page submits. */
export type ConnectChoices = {
  choices: { value: string; title: string; typeTitle: string; purpose: string }[]
  workspace: string
  requester: string | null
}
export type ConnectResult = {
  connection: ConnectionView
  title: string
  workspace: string
  reconnected: boolean
  returnTo: string | null
}
/** Why a browser was turned away. Each reason has a page that says what to do. */
export type Refusal = 'no-state' | 'expired' | 'foreign-browser' | 'mixed-up' | 'denied' | 'another-account' | 'failed'

type ConnectContent =
  | { kind: 'form'; form: ConnectForm }
  | { kind: 'leave'; leave: ConnectLeave }
  | { kind: 'choose'; choose: ConnectChoices }
  | { kind: 'done'; done: ConnectResult }
  | { kind: 'refused'; refusal: Refusal; title: string | null; failure: FailureJson | null; returnTo: string | null }
export type ConnectPage = { kind: 'redirect'; url: string } | (ConnectContent & { locale: PageLocale })

/** `acceptLanguage`: the browser's header of that name, for links that name no language. */
export type Connect = {
  /** @throws Failure when the app or profile to connect with is missing, or `connection` does not exist */
  begin(caller: Caller, request: ConnectRequest): Promise<ConnectPageLink>
  /** Whether no browser has opened the link with this state yet, so that any still can. */
  isUnopened(state: string): Promise<boolean>
  /**
   * Our page: binds the browser, shows who requests what, and asks for secrets or for consent to go on to the provider.
   */
  open(state: string, browser: string, acceptLanguage?: string): Promise<ConnectPage>
  /**
   * Accepts the secrets from our page, or the consent (`leave`: `yes`) to go on to the provider. A token page that has
   * only the key so far is shown again, with the link that the key completes.
   */
  submit(
    state: string,
    browser: string | undefined,
    fields: Record<string, string>,
    acceptLanguage?: string,
  ): Promise<ConnectPage>
  /** Handles the provider's redirect back to us. */
  finish(integration: string, browser: string | undefined, returned: URL, acceptLanguage?: string): Promise<ConnectPage>
  /**
   * The address this server is reached at, without a trailing slash.
   * @throws Failure `unavailable` while it is unknown
   */
  base(): string
}
