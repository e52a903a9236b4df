import { fail, isConflict, isFailure, toFailureJson } from '#kit'
import type { ConnectionType, Failure, FailureJson } from '#kit'
import type { UnauthenticatedClient } from '../../../wire/index.ts'
import type { Apps } from '../apps.ts'
import type { Audit } from '../../admin/audit.ts'
import { parseCredential, readProfile, requireAllowedAddress } from '../connections.ts'
import { asksForAddress, codeProfile } from '../../catalogue/oauth-facts.ts'
import { chooseLocale } from '../../catalogue/locales.ts'
import type { Locales } from '../../catalogue/locales.ts'
import { isBrowserOAuth, schemeFor } from '../../catalogue/scheme.ts'
import type { Authorization, Clock, Log, Store, Vault } from '../../ports/index.ts'
import { typeOf } from '../../catalogue/registry.ts'
import type { Registry } from '../../catalogue/registry.ts'
import { createStart } from './start.ts'
import { isBrowserSecret, secretHash } from './binding.ts'
import type { ConnectionWriter, Credential } from '../save.ts'
import {
  choiceValue,
  createConnectPages,
  createProviderAddresses,
  choosesProfile,
  operatorChoice,
  sealScope,
} from './authorize-page.ts'
import { callerOf, createReceiving } from './receive.ts'
import type { Receiving } from './receive.ts'
import { pageLocales } from './types.ts'
import type { Connect, ConnectPage, Flow, PageLocale, Refusal } from './types.ts'

type ConnectOptions = {
  registry: Registry
  locales: Pick<Locales, 'sayIn'>
  store: Store
  vault: Vault
  apps: Apps
  writer: ConnectionWriter
  unauthenticated: UnauthenticatedClient
  audit: Audit
  clock: Clock
  log: Log
  appName: string
  base(): string
  /** Origins that a browser may return to afterwards, in addition to this server. */
  returnOrigins: readonly string[]
  ownVault: boolean
}

/** Form field for the chosen profile; no secret can have this name. */
export const profileField = 'connect-profile'

/** A conflict about the secrets means that the credential works, but belongs to another account. */
const refusalFor = (failure: Failure): Refusal =>
  isConflict(failure) && failure.details.errors?.[0]?.pointer === '/secrets' ? 'another-account' : 'failed'

/** How long a browser that has opened a link has to finish; its cookie lasts as long. */
const openMs = 3_600_000

/** The credential that was entered, for the chosen profile. */
const credentialIn = (
  registry: Registry,
  { integration, type, profile }: Authorization,
  values: Record<string, string>,
): Credential => {
  const profileName = readProfile(registry, integration, profile)
  return {
    ...parseCredential(registry.integration(integration).withProfile(profileName), type, values),
    profile: profileName,
  }
}

/** Whether the provider's answer belongs to the request that this browser made. */
const isAnswerTo = (vault: Vault, row: Authorization, params: URLSearchParams) => {
  const { token } = vault.open(sealScope(row), row.secrets)
  const returned = params.get('denied') ?? params.get('oauth_token')
  return token === undefined ? returned === null : returned === token
}

/** Pages for a browser that is turned away; the reason is logged. */
const createRefusals = ({ registry, audit, log }: Pick<ConnectOptions, 'registry' | 'audit' | 'log'>) => {
  const titleOf = (integration: string) =>
    registry.all.find((loaded) => loaded.integration.id === integration)?.integration.title ?? null

  const refuse = (refusal: Refusal, locale: PageLocale, row?: Flow, failure?: Failure): ConnectPage => {
    log('warn', 'connect.refused', {
      refusal,
      integration: row?.integration,
      code: failure?.code,
      reason: failure?.message,
    })
    return {
      kind: 'refused',
      locale,
      refusal,
      title: row ? titleOf(row.integration) : null,
      failure: failure ? toFailureJson(failure) : null,
      returnTo: row?.returnTo ?? null,
    }
  }
  const refuseAudited = async (refusal: Refusal, row: Flow, failure?: Failure): Promise<ConnectPage> => {
    const why = failure ?? fail('not_allowed', `The browser was turned away: ${refusal}.`)
    await audit.refused(
      callerOf(row),
      { what: 'connect.finish', integration: row.integration, connection: row.connection },
      why,
    )
    return refuse(refusal, row.locale, row, failure)
  }
  return { refuse, refuseAudited }
}
type Refusals = ReturnType<typeof createRefusals>

/** The language of a page: that of the link, otherwise that of the browser. */
const pageLocale = (acceptLanguage: string | undefined, locale?: string | null) =>
  chooseLocale({ locale: locale ?? undefined, acceptLanguage }, pageLocales)

/** Connect flows in progress, found by the state in their link and bound to the browser that opened it. */
const createFlows = ({ store, clock }: Pick<ConnectOptions, 'store' | 'clock'>) => ({
  find: async (state: unknown, acceptLanguage?: string): Promise<Flow | undefined> => {
    const row = isBrowserSecret(state) ? await store.authorizations.get(secretHash(state), clock.now()) : undefined
    return row && { ...row, locale: pageLocale(acceptLanguage, row.locale) }
  },
  bind: (row: Authorization, browser: string) =>
    store.authorizations.bind(row.id, secretHash(browser), clock.now(), clock.now() + openMs),
  /** Stores what the person chose to connect; false for an unknown choice. */
  choose: async (row: Authorization, browser: string, values: Record<string, string>) => {
    const choice = row.choices?.find((candidate) => choiceValue(candidate) === values.choose)
    return choice !== undefined && store.authorizations.choose(row.id, secretHash(browser), choice, clock.now())
  },
  /** Uses up the flow; undefined if it was used up before. */
  take: async ({ id, locale }: Flow, browser: string): Promise<Flow | undefined> => {
    const taken = await store.authorizations.take(id, secretHash(browser), clock.now())
    return taken && { ...taken, locale }
  },
})
type Flows = ReturnType<typeof createFlows>

const isBrowserOf = (row: Authorization, browser: string | undefined): browser is string =>
  isBrowserSecret(browser) && row.browser === secretHash(browser)

const draftOf = (
  writer: ConnectionWriter,
  { tenant, integration, type, externalId, person, labels, name, profile }: Authorization,
) =>
  writer.draft({ tenant, integration, type, externalId, person, labels, profile, ...(name === null ? {} : { name }) })

const withChosenProfile = (row: Flow, type: ConnectionType, profile: string | undefined): Flow => {
  if (profile === undefined || !choosesProfile(type)) return row
  return { ...row, profile: profile === operatorChoice ? null : profile }
}

/** People copy the name of a host as often as its address. */
const enteredAddress = (text: string): string => {
  const trimmed = text.trim()
  return /^https?:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`
}

/** Creates a connection from what the browser brings back from the provider. */
const createFinish =
  (
    { registry, vault, writer }: ConnectOptions,
    flows: Flows,
    { refuse, refuseAudited }: Refusals,
    { receive, save }: Receiving,
  ): Connect['finish'] =>
  async (integration, browser, returned, acceptLanguage) => {
    const params = returned.searchParams
    const state = params.get('state')
    if (!isBrowserSecret(state)) return refuse('no-state', pageLocale(acceptLanguage))
    const row = await flows.find(state, acceptLanguage)
    if (!row) return refuse('expired', pageLocale(acceptLanguage))
    if (row.integration === '') return refuseAudited('mixed-up', row)
    const loaded = registry.forConnection(row)
    if (row.integration !== integration || !isBrowserOAuth(schemeFor(typeOf(loaded, row.type), loaded.wire)))
      return refuseAudited('mixed-up', row)
    if (!isBrowserOf(row, browser)) return refuseAudited('foreign-browser', row)
    if (!isAnswerTo(vault, row, params)) return refuseAudited('mixed-up', row)
    const flow = await flows.take(row, browser)
    if (!flow) return refuse('expired', row.locale)
    if (params.has('denied') || params.get('error') === 'access_denied') return refuseAudited('denied', flow)
    try {
      const credential = await receive(flow, returned, state)
      const draft = draftOf(writer, flow)
      return await save(flow, draft, credential, await writer.verify(draft, credential))
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      return refuseAudited(refusalFor(thrown), flow, thrown)
    }
  }

/** Connects an account in the browser, from our page to the stored connection. */
export const createConnect = (options: ConnectOptions): Connect => {
  const { registry, writer, audit, log } = options
  const pages = createConnectPages(options)
  const addresses = createProviderAddresses(options)
  const flows = createFlows(options)
  const refusals = createRefusals(options)
  const { refuse, refuseAudited } = refusals
  const receiving = createReceiving(options, addresses.appOf)

  const formOf = async (
    row: Flow,
    state: string,
    key: string | undefined,
    problem: FailureJson | null,
  ): Promise<ConnectPage> => {
    if (problem)
      log('info', 'connect.not_accepted', { integration: row.integration, code: problem.code, reason: problem.message })
    const form = await pages.form(row, `${options.base()}/connect/${state}`, key, problem)
    return { kind: 'form', locale: row.locale, form }
  }

  /** The person has read who requests what, and goes on to the provider. */
  const leaveForProvider = async (row: Flow, state: string, values: Record<string, string>): Promise<ConnectPage> => {
    const { leave: consent, ...entered } = values
    const loaded = registry.forConnection(row)
    const type = typeOf(loaded, row.type)
    const field = asksForAddress(codeProfile(loaded, row.type)) ? type.baseUrl?.from : undefined
    const names = Object.keys(entered)
    if (consent !== 'yes' || names.length !== (field === undefined ? 0 : 1) || (field && names[0] !== field))
      return refuseAudited('mixed-up', row)
    const address = field === undefined ? undefined : enteredAddress(entered[field]!)
    try {
      if (field !== undefined) requireAllowedAddress(loaded, type, { [field]: address! })
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      const leave = await pages.leave(row, { address: entered[field!]!, problem: toFailureJson(thrown) })
      return { kind: 'leave', locale: row.locale, leave: leave! }
    }
    try {
      return { kind: 'redirect', url: await addresses.address(row, state, options.base(), address) }
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      return refuseAudited('failed', row, thrown)
    }
  }

  return {
    begin: createStart(options),
    isUnopened: async (state) => (await createFlows(options).find(state))?.browser === null,

    base: options.base,

    async open(state, browser, acceptLanguage) {
      const row = await flows.find(state, acceptLanguage)
      if (!row) return refuse('expired', pageLocale(acceptLanguage))
      const { locale } = row
      if (!(await flows.bind(row, browser))) return refuseAudited('foreign-browser', row)
      if (row.choices && row.integration === '') return { kind: 'choose', locale, choose: await pages.choices(row) }
      try {
        const leave = await pages.leave(row)
        return leave ? { kind: 'leave', locale, leave } : await formOf(row, state, undefined, null)
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        return refuseAudited('failed', row, thrown)
      }
    },

    async submit(state, browser, { [profileField]: profile, ...values }, acceptLanguage) {
      const stored = await flows.find(state, acceptLanguage)
      if (!stored) return refuse('expired', pageLocale(acceptLanguage))
      if (!isBrowserOf(stored, browser)) return refuseAudited('foreign-browser', stored)
      if (stored.choices && stored.integration === '')
        return (await flows.choose(stored, browser, values))
          ? { kind: 'redirect', url: `${options.base()}/connect/${state}` }
          : refuseAudited('mixed-up', stored)
      const loaded = registry.forConnection(stored)
      const type = typeOf(loaded, stored.type)
      const row = withChosenProfile(stored, type, profile)
      const key = type.appKey === undefined ? undefined : values[type.appKey]
      if (isBrowserOAuth(schemeFor(type, loaded.wire))) return leaveForProvider(row, state, values)
      // The token page asks for the key first, because the provider's page needs it.
      if (type.authorize && key && Object.keys(values).length === 1) return formOf(row, state, key, null)
      try {
        const credential = credentialIn(registry, row, values)
        // Verified before the flow is used up, so that a mistyped key can be corrected on the same page.
        const draft = draftOf(writer, row)
        const proof = await writer.verify(draft, credential)
        if (!(await flows.take(row, browser))) return refuse('expired', row.locale)
        return await receiving.save(row, draft, credential, proof)
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        await audit.refused(
          callerOf(row),
          { what: 'connect.submit', integration: row.integration, connection: row.connection },
          thrown,
        )
        return (await flows.find(state))
          ? await formOf(row, state, key, toFailureJson(thrown))
          : refuse('failed', row.locale, row, thrown)
      }
    },

    finish: createFinish(options, flows, refusals, receiving),
  }
}
