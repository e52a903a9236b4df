import { fail, isConflict, isFailure, toFailureJson } from '#kit'
import type { Failure, FailureJson } from '#kit'
import type { UnauthenticatedClient } from '../../../wire/index.ts'
import type { Apps } from '../apps.ts'
import type { Audit } from '../../admin/audit.ts'
import { givenSecrets, readProfile } from '../connections.ts'
import { isBrowserOAuth, schemeFor } from '../../catalogue/scheme.ts'
import type { Authorization, Clock, Log, Store, Vault } from '../../ports/index.ts'
import { typeOf } from '../../catalogue/registry.ts'
import type { Registry } from '../../catalogue/registry.ts'
import { createStart } from './start.ts'
import { isBrowserSecret, secretHash } from './binding.ts'
import type { ConnectionWriter, Given } from '../save.ts'
import { choiceValue, createOpening, operatorChoice, sealScope } from './authorize-page.ts'
import { callerOf, createReceiving } from './receive.ts'
import type { Connect, ConnectPage, Refusal } from './types.ts'

type Parts = {
  registry: Registry
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
  /** Origins that a browser may return to afterwards, besides this server. */
  returnOrigins: readonly string[]
}

/** Name of the choice of a profile on our page; a secret of that name there cannot be. */
export const profileField = 'connect-profile'

/** The credential itself is in the way: it is fine, but somebody else's. */
const refusalFor = (failure: Failure): Refusal => (isConflict(failure) && failure.details.errors?.[0]?.pointer === '/secrets' ? 'another-account' : 'failed')

/** A browser that has opened a link has so long to finish: its cookie lasts no longer. */
const openMs = 3_600_000

/** What was entered, for the profile that was chosen. */
const credentialIn = (registry: Registry, { integration, type, profile }: Authorization, given: Record<string, string>): Given => {
  const chosen = readProfile(registry, integration, profile)
  return { ...givenSecrets(registry.integration(integration).withProfile(chosen), type, given), profile: chosen }
}

/** Whether the provider's answer is about the request that this browser made. */
const isAnswerTo = (vault: Vault, row: Authorization, params: URLSearchParams) => {
  const { token } = vault.open(sealScope(row), row.secrets)
  const returned = params.get('denied') ?? params.get('oauth_token')
  return token === undefined ? returned === null : returned === token
}

/** The person chose what to connect; false for what is no choice. */
const isChosen = async ({ store, clock }: Pick<Parts, 'store' | 'clock'>, row: Authorization, browser: string, given: Record<string, string>) => {
  const choice = row.choices?.find((one) => choiceValue(one) === given.choose)
  return choice !== undefined && store.authorizations.choose(row.id, secretHash(browser), choice, clock.now())
}

/** Connecting an account in the browser, from our page to the stored connection. */
export const createConnect = (parts: Parts): Connect => {
  const { registry, store, vault, writer, audit, clock, log } = parts
  const opening = createOpening(parts)
  const { receive, save } = createReceiving(parts, opening.appOf)

  const titleOf = (integration: string) => registry.all.find((loaded) => loaded.integration.id === integration)?.integration.title ?? null

  const refused = (refusal: Refusal, row?: Authorization, failure?: Failure): ConnectPage => {
    log('warn', 'connect.refused', { refusal, integration: row?.integration, code: failure?.code, reason: failure?.message })
    return {
      kind: 'refused',
      refusal,
      title: row ? titleOf(row.integration) : null,
      failure: failure ? toFailureJson(failure) : null,
      returnTo: row?.returnTo ?? null,
    }
  }
  const refuseAudited = async (refusal: Refusal, row: Authorization, failure?: Failure): Promise<ConnectPage> => {
    const why = failure ?? fail('not_allowed', `The browser was turned away: ${refusal}.`)
    await audit.refused(callerOf(row), { what: 'connect.finish', integration: row.integration, connection: row.connection }, why)
    return refused(refusal, row, failure)
  }

  const find = async (state: unknown) => (isBrowserSecret(state) ? store.authorizations.get(secretHash(state), clock.now()) : undefined)
  const isBrowserOf = (row: Authorization, browser: string | undefined): browser is string => isBrowserSecret(browser) && row.browser === secretHash(browser)
  const take = (row: Authorization, browser: string) => store.authorizations.take(row.id, secretHash(browser), clock.now())

  const formOf = (row: Authorization, state: string, key: string | undefined, problem: FailureJson | null) => {
    if (problem) log('info', 'connect.not_accepted', { integration: row.integration, code: problem.code, reason: problem.message })
    return opening.form(row, `${parts.base()}/connect/${state}`, key, problem)
  }

  const draftOf = ({ tenant, integration, type, externalId, labels, name, profile }: Authorization) =>
    writer.draft({ tenant, integration, type, externalId, labels, profile, ...(name === null ? {} : { name }) })

  /** The person has read who wants what and goes on to the provider. */
  const goOn = async (row: Authorization, state: string, given: Record<string, string>): Promise<ConnectPage> => {
    if (given.leave !== 'yes' || Object.keys(given).length !== 1) return refuseAudited('mixed-up', row)
    try {
      return { kind: 'redirect', url: await opening.address(row, state, parts.base()) }
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      return refuseAudited('failed', row, thrown)
    }
  }

  return {
    begin: createStart(parts),

    base: parts.base,

    async open(state, browser) {
      const row = await find(state)
      if (!row) return refused('expired')
      if (!(await store.authorizations.bind(row.id, secretHash(browser), clock.now(), clock.now() + openMs))) return refuseAudited('foreign-browser', row)
      if (row.choices && row.integration === '') return { kind: 'choose', choose: await opening.choices(row) }
      try {
        const leave = await opening.leave(row)
        return leave ? { kind: 'leave', leave } : { kind: 'form', form: await formOf(row, state, undefined, null) }
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        return refuseAudited('failed', row, thrown)
      }
    },

    async submit(state, browser, { [profileField]: chosen, ...given }) {
      const begun = await find(state)
      if (!begun) return refused('expired')
      const row = chosen === undefined ? begun : { ...begun, profile: chosen === operatorChoice ? null : chosen }
      if (!isBrowserOf(row, browser)) return refuseAudited('foreign-browser', row)
      if (row.choices && row.integration === '')
        return (await isChosen(parts, row, browser, given)) ? { kind: 'redirect', url: `${parts.base()}/connect/${state}` } : refuseAudited('mixed-up', row)
      const loaded = registry.integration(row.integration)
      const type = typeOf(loaded, row.type)
      const key = type.appKey === undefined ? undefined : given[type.appKey]
      if (isBrowserOAuth(schemeFor(type, loaded.wire))) return goOn(row, state, given)
      // The token page asks for the key alone first, since the provider's page is opened with it.
      if (type.authorize && key && Object.keys(given).length === 1) return { kind: 'form', form: await formOf(row, state, key, null) }
      try {
        const credential = credentialIn(registry, row, given)
        // Proved before the flow is used up, so that a mistyped key can be corrected on the same page.
        const draft = draftOf(row)
        const proof = await writer.verify(draft, credential)
        if (!(await take(row, browser))) return refused('expired')
        return await save(row, draft, credential, proof)
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        await audit.refused(callerOf(row), { what: 'connect.submit', integration: row.integration, connection: row.connection }, thrown)
        return (await find(state)) ? { kind: 'form', form: await formOf(row, state, key, toFailureJson(thrown)) } : refused('failed', row, thrown)
      }
    },

    async finish(integration, browser, returned) {
      const params = returned.searchParams
      const state = params.get('state')
      if (!isBrowserSecret(state)) return refused('no-state')
      const row = await find(state)
      if (!row) return refused('expired')
      if (row.integration === '') return refuseAudited('mixed-up', row)
      const loaded = registry.integration(row.integration)
      if (row.integration !== integration || !isBrowserOAuth(schemeFor(typeOf(loaded, row.type), loaded.wire))) return refuseAudited('mixed-up', row)
      if (!isBrowserOf(row, browser)) return refuseAudited('foreign-browser', row)
      if (!isAnswerTo(vault, row, params)) return refuseAudited('mixed-up', row)
      const taken = await take(row, browser)
      if (!taken) return refused('expired')
      if (params.has('denied') || params.get('error') === 'access_denied') return refuseAudited('denied', taken)
      try {
        const given = await receive(taken, returned, state)
        const draft = draftOf(taken)
        return await save(taken, draft, given, await writer.verify(draft, given))
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        return refuseAudited(refusalFor(thrown), taken, thrown)
      }
    },
  }
}
