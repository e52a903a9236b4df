import { randomUUIDv7 } from 'node:crypto'
import { fail, failField } from '#kit'
import type { Json, Model, Trigger, WatchContext } from '#kit'
import { findTrigger } from '../../catalogue/find-trigger.ts'
import type { LoadedIntegration } from '../../catalogue/registry.ts'
import { requireUsable } from '../../connections/resolve.ts'
import type { OpenConnection } from '../../connections/open-connection.ts'
import type { Caller, Subscription } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ProviderSessions } from '../provider-session.ts'
import { agentUnknown } from './agent-changes.ts'
import { checkOptions, createDelivery } from './delivery.ts'
import { parseConfig, parseOptions, readSecret, readStartFrom } from './input.ts'
import type { NewSubscription, StartFrom } from './input.ts'

type PreparationDependencies = Pick<
  TriggerParts,
  'registry' | 'openConnections' | 'apps' | 'wire' | 'vault' | 'publicUrl' | 'onStart'
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

  /**
   * The policy that limits a connection for its callers limits their subscriptions too: each watched object must be
   * within it.
   */
  const requireWithin = async ({ connection }: OpenConnection, loaded: LoadedIntegration, models: Model[]) => {
    const { policy, tenant, id } = connection
    if (!policy?.scopes && !policy?.paths) return
    const { scopes, id: integration } = loaded.integration
    for (const model of models) {
      if (!scopes || model.kind !== scopes.kind) {
        const remedy = scopes ? ` Watch a ${scopes.kind} that the policy allows.` : ''
        throw fail(
          'not_allowed',
          `This connection is limited by its policy, which cannot be applied to a ${model.kind}.${remedy}`,
        )
      }
      await sessions.use(
        { tenant, connection: id, integration },
        'read',
        (ctx) => ctx.send(scopes.byId(model.id)),
        'limited',
      )
    }
  }

  /**
   * The config to store: validated, with ids in place of pasted URLs and names, and within the limits of the
   * connection.
   */
  const prepareConfig = async (
    opened: OpenConnection,
    loaded: LoadedIntegration,
    trigger: Trigger,
    input: unknown,
  ): Promise<Record<string, Json>> => {
    const { tenant, id } = opened.connection
    const config = await resolveConfig(
      sessions,
      trigger,
      { tenant, connection: id, integration: loaded.integration.id },
      parseConfig(trigger, input),
    )
    await requireWithin(opened, loaded, trigger.webhook?.watch(trigger.config.parse(config)) ?? [])
    return config
  }

  const prepare = async (caller: Caller, newSubscription: NewSubscription): Promise<Prepared> => {
    const { loaded, trigger } = findTrigger(registry, newSubscription.integration, newSubscription.trigger)
    // Parsed first, so that invalid input causes no request to the provider.
    parseConfig(trigger, newSubscription.config)
    const options = parseOptions(newSubscription.options)
    const startFrom = readStartFrom(options.startFrom, now())
    checkOptions(trigger, options, startFrom)
    const url = newSubscription.agent?.url ?? null
    checkAgent(url)
    const { secret, isGenerated } = readSecret(newSubscription.agent?.secret)
    const opened = await openConnections.open(caller, loaded, newSubscription.connection)
    requireUsable(opened)
    const config = await prepareConfig(opened, loaded, trigger, newSubscription.config)
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
