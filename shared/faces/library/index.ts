export { openSqliteStore, readMasterKey, systemClock } from '../../pack.ts'
export type { Caller, IntegrationSummary, StepCall, Store } from '../../pack.ts'
export type {
  EventView,
  NewSubscription,
  OnNotification,
  PlatformNotification,
  StartView,
  SubscriptionView,
} from '../../runtime/triggers/index.ts'
export { createPack } from './typed-pack.ts'
export type {
  AgentStart,
  AnyAgentStart,
  IntegrationId,
  OnStart,
  Pack,
  PackOptions,
  StepId,
  StepInput,
  StepOutput,
  TriggerConfig,
  TriggerEvent,
  TriggerId,
} from './typed-pack.ts'
export { projectSchema } from './projections.ts'
export type { Dialect, Projection } from './projections.ts'
export { toTools } from './tools.ts'
export type { AgentTool, ToolCallOptions, ToolFailure, ToolsOptions } from './tools.ts'
export { failures, isFailure } from '#kit'
export type { FailureCode, FailureJson, JsonSchema, Outcome } from '#kit'
