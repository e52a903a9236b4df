import { randomUUIDv7 } from 'node:crypto'
import { failField } from '#kit'
import type { Json, Trigger, WatchContext } from '#kit'
import { findTrigger } from '../../catalogue/find-trigger.ts'
import type { LoadedIntegration } from '../../catalogue/registry.ts'
import { requireTriggerReady } from '../../catalogue/trigger-needs.ts'
import { withDefaultContainer } from '../../connections/default-container.ts'
import { requireUsable } from '../../connections/resolve.ts'
import type { OpenConnection } from '../../connections/open-connection.ts'
import type { Caller, Subscription } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import { readModel } from '../match-index.ts'
import type { ProviderSessions } from '../provider-session.ts'
import { agentUnknown } from './agent-changes.ts'
import { checkOptions, createDelivery } from './delivery.ts'
import { parseConfig, parseOptions, readSecret, readStartFrom } from './input.ts'
import type { NewSubscription, StartFrom } from './input.ts'
import { createReadList } from './read-list.ts'
import type { PreparedConfig } from './read-list.ts'
import { createWatchCheck } from './watch-check.ts'

type PreparationDependencies = Pick<
  TriggerParts,
  'registry' | 'openConnections' | 'apps' | 'wire' | 'vault' | 'publicUrl' | 'onStart' | 'suppressed' | 'watchLists'
> & {
  now(): number
  sessions: ProviderSessions
}

/** `shown`: the secret of the agent when it was generated here. */
export type Prepared = { row: Subscription; startFrom: StartFrom | undefined; shown: string | undefined }

export type Preparation = ReturnType<typeof createPreparation>

const resolveConfig = async (
  sessions: ProviderSessions,
  trigger: Trigger,
  { connection, ...of }: OpenRef,
  config: Record<string, Json>,
): Promise<Record<string, Json>> => {
  if (!trigger.resolve) return config
  const work = (ctx: WatchContext) => trigger.resolve!(ctx, config)
  return (await sessions.use({ ...of, connection }, 'read', work, 'limited')).value as Record<string, Json>
}

/** Checks the input for a subscription and builds its row. Nothing is stored. */
export const createPreparation = ({
  registry,
  openConnections,
  apps,
  wire,
  vault,
  publicUrl,
  onStart,
  suppressed,
  watchLists,
  now,
  sessions,
}: PreparationDependencies) => {
  const delivery = createDelivery({ apps, publicUrl })

  const checkAgent = (url: string | null) => {
    if (url !== null) return wire.checkTarget(url)
    if (!onStart)
      throw failField(
        '/agent/url',
        'Give the address that starts the agent. (Only library use with an onStart callback needs none.)',
      )
  }

  const readList = createReadList(watchLists)
  const requireWatchable = createWatchCheck({ sessions, suppressed })

  /**
   * The config to store: validated, with ids in place of pasted URLs and names, and within the limits of the
   * connection.
   */
  const prepareConfig = async (
    caller: Caller,
    opened: OpenConnection,
    loaded: LoadedIntegration,
    trigger: Trigger,
    input: unknown,
  ): Promise<PreparedConfig> => {
    const { tenant, id } = opened.connection
    const resolved = await resolveConfig(
      sessions,
      trigger,
      { tenant, connection: id, integration: loaded.integration.id },
      withDefaultContainer(trigger, loaded, opened.connection, parseConfig(trigger, input)),
    )
    const prepared = await readList(caller, trigger, resolved)
    const { config } = prepared
    const named = trigger.webhook?.watch(trigger.config.parse(config)) ?? []
    await requireWatchable(opened, loaded, { named, listed: prepared.watched?.map(readModel) ?? [] })
    return prepared
  }

  const prepare = async (caller: Caller, newSubscription: NewSubscription): Promise<Prepared> => {
    const { loaded: operatorLoaded, trigger } = findTrigger(
      registry,
      newSubscription.integration,
      newSubscription.trigger,
    )
    // Parsed first, so that invalid input causes no request to the provider.
    parseConfig(trigger, newSubscription.config)
    const options = parseOptions(newSubscription.options)
    const startFrom = readStartFrom(options.startFrom, now())
    checkOptions(trigger, options, startFrom)
    const url = newSubscription.agent?.url ?? null
    checkAgent(url)
    const { secret, isGenerated } = readSecret(newSubscription.agent?.secret)
    const opened = await openConnections.open(caller, operatorLoaded, newSubscription.connection)
    requireUsable(opened)
    const loaded = opened.loaded ?? operatorLoaded
    requireTriggerReady(trigger, loaded)
    const { config, watched } = await prepareConfig(caller, opened, loaded, trigger, newSubscription.config)
    const chosen = await delivery.choose(opened, loaded, trigger, trigger.config.parse(config), options.delivery)
    const id = `sub_${randomUUIDv7()}`
    const at = now()
    const row: Subscription = {
      tenant: caller.tenant,
      id,
      integration: newSubscription.integration,
      trigger: newSubscription.trigger,
      connection: opened.connection.id,
      config,
      agent: { url, ...(newSubscription.agent?.id === undefined ? {} : { id: newSubscription.agent.id }) },
      secrets: vault.seal({ tenant: caller.tenant, owner: id }, { secret }),
      previousUntil: null,
      ...agentUnknown,
      options,
      delivery: chosen,
      state: 'pending',
      stateReason: null,
      stateAt: at,
      startMark: at,
      externalId: newSubscription.externalId ?? null,
      watched,
      person: caller.person ?? opened.connection.person ?? null,
      labels: newSubscription.labels ?? {},
      createdAt: at,
      updatedAt: at,
      deletedAt: null,
    }
    return { row, startFrom, shown: isGenerated ? secret : undefined }
  }

  return { prepare, prepareConfig, checkAgent }
}
type OpenRef = { tenant: string; connection: string; integration: string }
