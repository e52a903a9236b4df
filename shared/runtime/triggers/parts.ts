import type { EventCharges } from '../credits/event-charges.ts'
import type { OpenConnections } from '../connections/open-connection.ts'
import type { Apps } from '../connections/apps.ts'
import type { Clock, Log, Store, Vault } from '../ports/index.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { Health } from '../connections/health.ts'
import type { UnauthenticatedClient } from '../../wire/index.ts'
import type { AgentWire } from '../../wire/types.ts'
import type { Gate } from '../gate/pass.ts'
import type { AgentStart } from './starts/agent-call.ts'
import type { OnNotification } from './starts/notification.ts'
import type { WatchLists } from '../people-lists/watch-lists.ts'
import type { LearnedNames } from '../sentences/learned-names.ts'
import type { Causation } from './inbound/causation.ts'

/** Receives starts in library use. Resolving means that the agent has the start; a rejection is retried later. */
export type OnStart = (start: AgentStart) => Promise<void>

/** What the trigger runtime is built from. */
export type TriggerParts = {
  registry: Registry
  openConnections: OpenConnections
  apps: Pick<Apps, 'open'>
  gate: Gate
  charges: EventCharges
  wire: AgentWire
  /** Reads key sets that sign deliveries. */
  unauthenticated: Pick<UnauthenticatedClient, 'getJson'>
  store: Store
  vault: Vault
  health: Health
  own: Causation
  /** For each value, whether it names somebody on the suppression list of the tenant. */
  suppressed(tenant: string, values: readonly unknown[]): Promise<boolean[]>
  watchLists: WatchLists
  names: Pick<LearnedNames, 'find' | 'noteEvent'>
  clock: Clock
  random(): number
  log: Log
  /** Public address of this server, without a trailing "/". Undefined when it has none: then there are no webhooks. */
  publicUrl(): string | undefined
  onStart: OnStart | undefined
  onNotification?: OnNotification | undefined
  /** Throws when the tenant may not add another subscription. */
  admitSubscription?: ((tenant: string) => Promise<void>) | undefined
  /** Minimum time in ms for which ids of events and starts are stored; see `ages` in `admin/retention.ts`. */
  keepIdsMs?: number | undefined
  /** Whether the text of agents' answers is stored and shown; otherwise only status and size are. */
  agentAnswers?: boolean | undefined
}
