import { isFailure } from '#kit'
import { labelled } from '../runtime/admin/quotas.ts'
import { createApps } from '../runtime/connections/apps.ts'
import { createClientTokens } from '../runtime/connections/client-token.ts'
import { markConnectionsOfLostKeys } from '../runtime/connections/lost-keys.ts'
import { createConnect } from '../runtime/connections/browser/connect.ts'
import type { Connect } from '../runtime/connections/browser/types.ts'
import { createChecks } from '../runtime/connections/check.ts'
import { createConnections } from '../runtime/connections/connections.ts'
import { createRenewals } from '../runtime/connections/refresh.ts'
import { createOpenConnections, createOpenWith } from '../runtime/connections/resolve.ts'
import { createConnectionWriter } from '../runtime/connections/save.ts'
import { createConnectionStates } from '../runtime/connections/states.ts'
import { createConnectionReports } from '../runtime/connections/usage.ts'
import { createVerifier } from '../runtime/connections/verify.ts'
import { watchConnections } from '../runtime/connections/watch.ts'
import { orderOf } from '../runtime/people/choose.ts'
import { createLinkFor } from '../runtime/people/link-for.ts'
import { createOptions } from '../runtime/options.ts'
import { createAskTest, createSendAs } from '../runtime/endpoints/send-as.ts'
import type { PackOptions } from '../pack-types.ts'
import type { Foundation } from './foundation.ts'

/** Undefined in place of a failure. A call that names a link has failed already; a missing link is not another failure. */
const orNothing = async <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((thrown: unknown) => {
    if (isFailure(thrown)) return undefined
    throw thrown
  })

/** Makes the link with which the person of a call connects an account; undefined where nobody can. */
const openLinkFor = (connect: () => Pick<Connect, 'begin' | 'isUnopened'>, clock: Foundation['clock']) =>
  createLinkFor((caller, integration) => orNothing(connect().begin(caller, { integration })), {
    clock,
    isUnopened: async (state) => (await orNothing(connect().isUnopened(state))) ?? false,
  })

/**
 * Opens everything about connections. `base`: address of this process for links to its own pages; throws while it is
 * unknown.
 */
export const openConnectionParts = (
  {
    clock,
    log,
    store,
    vault,
    gate,
    wire,
    unauthenticated,
    registry,
    locales,
    audit,
    limits,
    privacy,
    flush,
    leases,
    anyAccount,
    people,
    names,
  }: Foundation,
  options: PackOptions,
  base: () => string,
) => {
  const resolveSecrets = options.credentials?.resolve
  const orderFor = orderOf(store, options.defaultAccount)
  const apps = createApps({ registry, store, vault, clock })
  const states = createConnectionStates({ store, clock, log })
  const renewals = createRenewals({ store, leases, vault, apps, unauthenticated, resolveSecrets, states, clock, log })
  const openWith = createOpenWith({
    apps,
    clientTokens: createClientTokens({ apps, unauthenticated, resolveSecrets, clock, log }),
  })
  const linkFor = openLinkFor(() => connect, clock)
  const openConnections = createOpenConnections({
    store,
    vault,
    clock,
    log,
    resolveSecrets,
    openWith,
    renewals,
    states,
    orderFor,
    onAnyAccount: anyAccount.note,
    linkFor,
  })
  const choices = createOptions({ registry, openConnections, gate, clock, privacy, names })
  const verifier = createVerifier({
    registry,
    openWith,
    sendAs: createSendAs({ gate, clock }),
    askTest: createAskTest({ gate, clock }),
    clock,
  })
  const forgetOptions = choices.forget
  const writer = createConnectionWriter({
    registry,
    openConnections,
    store,
    vault,
    verifier,
    states,
    clock,
    log,
    forgetOptions,
    quotas: limits,
    people,
  })
  const ownVault = resolveSecrets !== undefined
  const checks = createChecks({ registry, openConnections, writer, verifier, states, clock, log })
  const connections = createConnections({
    registry,
    openConnections,
    store,
    writer,
    verifier,
    states,
    checks,
    clock,
    log,
    ownVault,
    forgetOptions,
  })
  const { appName = 'toolyard', returnOrigins = [] } = options
  const connect = createConnect({
    registry,
    locales,
    store,
    vault,
    apps,
    writer,
    unauthenticated,
    audit,
    clock,
    log,
    appName,
    base,
    returnOrigins,
    ownVault,
  })
  return {
    apps,
    orderFor,
    linkFor,
    states,
    openConnections,
    choices,
    reports: createConnectionReports({ registry, store, openConnections, wire, clock, flush, names }),
    health: checks.health,
    markConnectionsOfLostKeys: () => markConnectionsOfLostKeys({ store, vault, states }, options.lostKeys ?? []),
    connect,
    verbs: {
      ...connections,
      create: labelled(limits, connections.create),
      patch: labelled(limits, connections.patch),
      authorize: labelled(limits, connect.begin),
    },
    watch: () => watchConnections({ registry, store, check: checks.check, clock, log, leases }),
  }
}
export type OpenedConnections = ReturnType<typeof openConnectionParts>
