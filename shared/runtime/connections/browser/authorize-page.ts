import { fail } from '#kit'
import type { ConnectionType, FailureJson } from '#kit'
import type { UnauthenticatedClient } from '../../../wire/index.ts'
import type { Apps } from '../apps.ts'
import { profileNames } from '../../catalogue/choose-profile.ts'
import type { Locales } from '../../catalogue/locales.ts'
import { connectionKey } from '../../catalogue/manifest-texts.ts'
import type { Say } from '../../catalogue/manifest-texts.ts'
import { isBrowserOAuth, schemeFor } from '../../catalogue/scheme.ts'
import type { Authorization, Store, Vault } from '../../ports/index.ts'
import { typeOf } from '../../catalogue/registry.ts'
import type { LoadedIntegration, Registry } from '../../catalogue/registry.ts'
import { asksForAddress, codeFacts, codeProfile } from '../../catalogue/oauth-facts.ts'
import { redirectUri } from './binding.ts'
import type { ConnectChoices, ConnectForm, ConnectLeave, Flow, SecretField } from './types.ts'

type PageOptions = {
  registry: Registry
  locales: Pick<Locales, 'sayIn'>
  store: Store
  apps: Pick<Apps, 'open'>
  appName: string
}
type AddressOptions = Pick<PageOptions, 'registry' | 'store' | 'appName'> & {
  vault: Vault
  apps: Pick<Apps, 'oauthApp'>
  unauthenticated: UnauthenticatedClient
}

export const sealScope = (row: Pick<Authorization, 'tenant' | 'id'>) => ({
  tenant: row.tenant,
  owner: `authorization:${row.id}`,
})

/** Replaces `{name}` in a template; it has no other syntax. */
const fill = (template: string, values: Record<string, string>) =>
  template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
const fillAll = (templates: Record<string, string>, values: Record<string, string>) =>
  Object.fromEntries(Object.entries(templates).map(([name, template]) => [name, fill(template, values)]))

/** The address of the provider's own token page, with the parameters it documents, in their order. */
export const authorizeAddress = (
  loaded: LoadedIntegration,
  { authorize }: ConnectionType,
  values: { key: string; appName: string; returnUrl: string },
): string | undefined => {
  const { authUrl, authorizeReturn = {} } = loaded.wire
  if (!authorize || !authUrl) return undefined
  const query = Object.entries(fillAll({ ...authorize.params, ...authorizeReturn }, values)).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  )
  return `${authUrl.replace(/\/$/, '')}${authorize.path}?${query.join('&')}`
}

const fieldsOf = (type: ConnectionType, values: Record<string, string>): SecretField[] =>
  Object.entries(type.secrets.shape).map(([name, schema]) => {
    const { title, description } =
      (schema as { meta(): { title?: string; description?: string } | undefined }).meta() ?? {}
    return { name, title: title ?? name, description: description ?? '', value: values[name] ?? '' }
  })

/** The texts of a connection type that the page shows, in its language. */
const translateType = (say: Say, integration: string, { id, title, purpose, help }: ConnectionType) => {
  const key = connectionKey(integration, id)
  return {
    typeTitle: say(`${key}.title`, title),
    purpose: say(`${key}.purpose`, purpose),
    help: help === undefined ? null : say(`${key}.help`, help),
    translate: (field: SecretField): SecretField => ({
      ...field,
      title: say(`${key}.fields.${field.name}.title`, field.title),
      description: say(`${key}.fields.${field.name}.description`, field.description),
    }),
  }
}

/**
 * The field for the address of an account that the browser goes to; undefined where the profile has the address.
 * `origin`: the origins that are allowed.
 */
const addressField = (
  loaded: LoadedIntegration,
  type: ConnectionType,
): { field: SecretField; origin: string } | undefined => {
  const name = type.baseUrl?.from
  if (name === undefined || !asksForAddress(codeProfile(loaded, type.id))) return undefined
  const { wire, integration } = loaded
  if (wire.baseUrlPattern == null)
    throw fail(
      'wire_unset',
      `Accounts of the type "${type.id}" have an address of their own. The operator sets "wire.${integration.id}.baseUrlPattern" to what is allowed.`,
    )
  const field = fieldsOf(type, {}).find((candidate) => candidate.name === name)
  if (field === undefined) throw fail('internal', `The type "${type.id}" has no secret "${name}".`)
  return { field, origin: /^https?:\/\/[^/]+/i.exec(wire.baseUrlPattern)![0] }
}

/** The value that the page submits for a choice. */
export const choiceValue = ({ integration, type }: { integration: string; type: string }) => `${integration}/${type}`

/** The value that stands for the operator's profile on the page. */
export const operatorChoice = '-'

/** Whether the person chooses the profile on our page: where the credential is entered there and nowhere else. */
export const choosesProfile = ({ scheme, authorize }: ConnectionType): boolean => scheme === 'secrets' && !authorize

/** The profiles a person may choose on the page. Only profiles that say where to send a credential are offered. */
const profileChoices = (ofOperator: LoadedIntegration, chosen: string | null): ConnectForm['profiles'] => {
  const { integration, wire } = ofOperator
  if (Object.keys(integration.profiles ?? {}).length === 0) return []
  const isUsable = (loaded: LoadedIntegration) =>
    loaded.wire.baseUrl !== null && Object.values(loaded.wire.auth).some((placement) => placement !== null)
  const others = profileNames(integration).filter(
    (name) => name !== wire.profile && isUsable(ofOperator.withProfile(name)),
  )
  return [
    ...(isUsable(ofOperator) ? [{ name: operatorChoice, title: wire.profile, isChosen: chosen === null }] : []),
    ...others.map((name) => ({ name, title: name, isChosen: name === chosen })),
  ]
}

/** The addresses at providers where an OAuth flow continues. */
export const createProviderAddresses = ({ registry, store, vault, apps, unauthenticated, appName }: AddressOptions) => {
  const appOf = async (row: Authorization, loaded: LoadedIntegration) => {
    const app = await apps.oauthApp(
      row.tenant,
      row.integration,
      schemeFor(typeOf(loaded, row.type), loaded.wire) === 'oauth1' ? '1.0a' : '2.0',
    )
    if (!app)
      throw fail('conflict', `The app of ${loaded.integration.title} was taken away. The operator sets it again.`)
    return app
  }
  const saveSealed = (row: Authorization, secrets: Record<string, string>) =>
    store.authorizations.save(row.id, vault.seal(sealScope(row), secrets))

  const sendToOAuth1 = async (
    row: Authorization,
    loaded: LoadedIntegration,
    state: string,
    base: string,
  ): Promise<string> => {
    const facts = loaded.wire.oauth?.v1
    if (!facts?.authorizeUrl)
      throw fail(
        'wire_unset',
        `The provider documents do not show this address. The operator sets "wire.${row.integration}.oauth.v1.authorizeUrl".`,
      )
    let { token } = vault.open(sealScope(row), row.secrets)
    if (token === undefined) {
      // OAuth 1.0a has no `state` parameter, so the state is part of the callback address.
      const request = await unauthenticated.oauth1.begin(
        row.integration,
        facts,
        await appOf(row, loaded),
        `${redirectUri(base, row.integration)}?state=${state}`,
      )
      token = request.token
      await saveSealed(row, { token, secret: request.secret })
    }
    return `${facts.authorizeUrl}?${new URLSearchParams({ oauth_token: token, ...fillAll(facts.authorizeParams ?? {}, { appName }) })}`
  }

  const sendToOAuth2 = async (
    row: Authorization,
    loaded: LoadedIntegration,
    state: string,
    base: string,
    baseUrl: string | undefined,
  ): Promise<string> => {
    const stored = vault.open(sealScope(row), row.secrets)
    const facts = codeFacts(loaded, row.type, baseUrl ?? stored.baseUrl)
    if (!facts)
      throw fail(
        'wire_unset',
        `The provider documents do not show these addresses. The operator sets "wire.${row.integration}.oauth.v2".`,
      )
    const verifier = stored.verifier ?? (await unauthenticated.oauth2.verifier())
    const secrets = { ...stored, verifier, ...(baseUrl === undefined ? {} : { baseUrl }) }
    if (stored.verifier === undefined || baseUrl !== undefined) await saveSealed(row, secrets)
    const params = fillAll(facts.authorizeParams ?? {}, { appName })
    return unauthenticated.oauth2.address(row.integration, facts, await appOf(row, loaded), {
      redirectUri: redirectUri(base, row.integration),
      state,
      verifier,
      params,
    })
  }

  return {
    appOf,
    /**
     * Where to send the browser with this state; it comes back to a page below `base`. `baseUrl`: the address of the
     * account, where whoever connects named it.
     */
    address(row: Authorization, state: string, base: string, baseUrl?: string): Promise<string> {
      const loaded = registry.forConnection(row)
      const isVersion1 = schemeFor(typeOf(loaded, row.type), loaded.wire) === 'oauth1'
      return isVersion1 ? sendToOAuth1(row, loaded, state, base) : sendToOAuth2(row, loaded, state, base, baseUrl)
    },
  }
}
export type ProviderAddresses = ReturnType<typeof createProviderAddresses>

/** Who requests the connection, and for which workspace, in words that a person knows. */
const describeRequest = async (store: Store, row: Authorization) => {
  const token =
    row.token === null ? undefined : (await store.tokens.list(row.tenant)).find(({ id }) => id === row.token)
  return {
    workspace: (await store.tenants.get(row.tenant))?.name ?? row.tenant,
    requester: token?.name ?? row.token?.replace(/^jwt:/, '') ?? null,
    reconnected: row.connection === null ? undefined : await store.connections.get(row.tenant, row.connection),
  }
}

/** What our own pages show once the browser is bound to the flow. */
export const createConnectPages = ({ registry, locales, store, apps, appName }: PageOptions) => ({
  /**
   * The page shown before the browser goes to the provider; undefined for types whose secrets are entered on our page.
   * `refused`: the address that was submitted, and why it was not accepted.
   */
  async leave(row: Flow, refused?: { address: string; problem: FailureJson }): Promise<ConnectLeave | undefined> {
    const loaded = registry.forConnection(row)
    const type = typeOf(loaded, row.type)
    const scheme = schemeFor(type, loaded.wire)
    if (!isBrowserOAuth(scheme)) return undefined
    const version = scheme === 'oauth1' ? 'v1' : 'v2'
    const authorizeUrl = loaded.wire.oauth?.[version]?.authorizeUrl
    if (!authorizeUrl)
      throw fail(
        'wire_unset',
        `The provider documents do not show this address. The operator sets "wire.${row.integration}.oauth.${version}.authorizeUrl".`,
      )
    const { workspace, requester, reconnected } = await describeRequest(store, row)
    const site = scheme === 'oauth2-code' ? addressField(loaded, type) : undefined
    const { purpose, translate } = translateType(await locales.sayIn(row.locale), row.integration, type)
    return {
      title: loaded.integration.title,
      purpose,
      reconnects: reconnected?.name ?? null,
      account: reconnected?.accountName ?? null,
      workspace,
      requester,
      to: site ? site.origin : new URL(authorizeUrl).origin,
      address: site ? translate({ ...site.field, value: refused?.address ?? '' }) : null,
      problem: refused?.problem ?? null,
    }
  },
  /** What a person may choose from, for links that leave the integration open. */
  async choices(row: Flow): Promise<ConnectChoices> {
    const { workspace, requester } = await describeRequest(store, row)
    const say = await locales.sayIn(row.locale)
    const choices = (row.choices ?? []).map((choice) => {
      const loaded = registry.integration(choice.integration)
      const type = typeOf(loaded, choice.type)
      const { typeTitle, purpose } = translateType(say, choice.integration, type)
      return { value: choiceValue(choice), title: loaded.integration.title, typeTitle, purpose }
    })
    return { choices, workspace, requester }
  },
  async form(row: Flow, returnUrl: string, key: string | undefined, problem: FailureJson | null): Promise<ConnectForm> {
    const loaded = registry.integration(row.integration)
    const type = typeOf(loaded, row.type)
    const app = await apps.open(row.tenant, row.integration)
    const values = type.appKey === undefined ? {} : { [type.appKey]: key ?? app?.app.key ?? '' }
    const appKey = Object.values(values)[0] ?? ''
    const say = await locales.sayIn(row.locale)
    const { translate, ...texts } = translateType(say, row.integration, type)
    const { workspace, requester, reconnected } = await describeRequest(store, row)
    return {
      integration: row.integration,
      title: loaded.integration.title,
      ...texts,
      fields: fieldsOf(type, values).map(translate),
      profiles: choosesProfile(type) ? profileChoices(loaded, row.profile ?? null) : [],
      authorizeUrl: type.authorize
        ? appKey === ''
          ? null
          : (authorizeAddress(registry.forConnection(row), type, { key: appKey, appName, returnUrl }) ?? null)
        : undefined,
      reconnects: reconnected?.name ?? null,
      workspace,
      requester,
      problem,
    }
  },
})
export type ConnectPages = ReturnType<typeof createConnectPages>
