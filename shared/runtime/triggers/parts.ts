import type { OpenConnections } from '../connections/open-connection.ts'
import type { Apps } from '../connections/apps.ts'
import type { Clock, Log, Store, Vault } from '../ports/index.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { Health } from '../connections/health.ts'
import type { AgentWire } from '../../wire/types.ts'
import type { Gate } from '../gate/pass.ts'
import type { AgentStart } from './starts/agent-call.ts'
import type { OnNotification } from './starts/notification.ts'
import type { Causation } from './inbound/causation.ts'

/** Receives starts in library use. Resolving means that the agent has the start; a rejection is retried later. */
export type OnStart = (start: AgentStart) => Promise<void>

/** What the trigger runtime is built from. */
export type TriggerParts = {
  registry: Registry
  openConnections: OpenConnections
  apps: Pick<Apps, 'open'>
  gate: Gate
  wire: AgentWire
  store: Store
  vault: Vault
  health: Health
  own: Causation
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
