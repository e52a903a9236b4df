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

/** What the trigger runtime needs; given once. */
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
  /** Public address of this server, without a trailing "/"; undefined: there is none, so no webhooks. */
  publicUrl(): string | undefined
  onStart: OnStart | undefined
  onNotification?: OnNotification | undefined
  /** Throws when a tenant may have no more subscriptions. */
  admitSubscription?: ((tenant: string) => Promise<void>) | undefined
  /** How long ids of events and starts are stored at least; see `ages` of retention. */
  keepIdsMs?: number | undefined
  /** Stores and shows what an agent answers; otherwise only its status and size. */
  agentAnswers?: boolean | undefined
}
