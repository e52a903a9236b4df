/**
 * The pack as a TypeScript program sees it: inputs and outputs of steps, configs and events of triggers are typed by
 * id. The types have no effect at run time. Ids of a platform's own integrations, and ids known only at run time, are
 * accepted too; their inputs and outputs are `unknown`.
 */
import type { TriggerTypes } from '../../../manifests/types.ts'
import type { Outcome } from '#kit'
import { createPack as openPack } from '../../pack.ts'
import type { Caller, Pack as LoosePack, PackOptions as LooseOptions, StepCall } from '../../pack.ts'
import type { DryRun } from '../../runtime/steps/dry-run/dry-run.ts'
import type { AgentStart as LooseStart, NewSubscription, SubscriptionView } from '../../runtime/triggers/index.ts'
import type { AnyIntegration, InputOf, IntegrationId, OutputOf, PartOf, StepOf } from '../typed-steps.ts'

export type { IntegrationId, StepId, StepInput, StepOutput } from '../typed-steps.ts'

/** Ids of the triggers of an integration. */
export type TriggerId<I extends IntegrationId> = keyof TriggerTypes[I] & string

/** The configuration of a trigger. */
export type TriggerConfig<I extends IntegrationId, T extends TriggerId<I>> = PartOf<TriggerTypes[I][T], 'config'>
/** The event that a trigger passes to an agent. */
export type TriggerEvent<I extends IntegrationId, T extends TriggerId<I>> = PartOf<TriggerTypes[I][T], 'event'>

type TriggerOf<I, T extends string> = I extends IntegrationId ? (string extends T ? T : TriggerId<I>) : T
type ConfigOf<I, T> = I extends IntegrationId ? (T extends TriggerId<I> ? TriggerConfig<I, T> : unknown) : unknown

/** A step call with the input type of that step. */
type TypedCall<I extends AnyIntegration, S extends string, Dry> = Omit<
  StepCall,
  'integration' | 'step' | 'input' | 'dryRun'
> & {
  /** A shipped integration, or one that was given to `createPack`. */
  integration: I
  step: StepOf<I, S>
  input: InputOf<I, S>
  /** Sends nothing and returns the requests that would be sent. */
  dryRun?: Dry
}
type OutcomeOf<I, S, Dry> = Outcome<Dry extends true ? DryRun : OutputOf<I, S>>

/** A subscription with the config type of its trigger; `config` may be absent if the trigger requires none. */
type TypedSubscription<I extends AnyIntegration, T extends string> = Omit<
  NewSubscription,
  'integration' | 'trigger' | 'config'
> & {
  integration: I
  trigger: TriggerOf<I, T>
} & ({} extends ConfigOf<I, T> ? { config?: ConfigOf<I, T> | undefined } : { config: ConfigOf<I, T> })

type StartOf<Type extends string, Event> = Omit<LooseStart, 'type' | 'data'> & {
  /** `<integration>.<trigger>`; comparing it narrows the type of `data.event`. */
  type: Type
  data: Omit<LooseStart['data'], 'event'> & { event: Event }
}
/**
 * What an agent receives from a trigger of the shipped integrations: the body of the POST, or the argument of
 * `onStart`.
 */
export type AgentStart = {
  [I in IntegrationId]: { [T in TriggerId<I>]: StartOf<`${I}.${T}`, TriggerEvent<I, T>> }[TriggerId<I>]
}[IntegrationId]
/** A start from any trigger. Use it for an `onStart` that also receives starts of the platform's own triggers. */
export type AnyAgentStart = StartOf<string, unknown>

/** Receives starts. Resolving means that the agent has the start; a rejection is retried later. */
export type OnStart = (start: AgentStart) => Promise<void>

export type PackOptions = Omit<LooseOptions, 'onStart' | 'tracing'> & {
  /** Receives the starts of subscriptions whose agent has no URL. */
  onStart?: OnStart
}

/** The verbs of the pack. Every one takes the caller first and is scoped by its tenant. */
export type Pack = Omit<LoosePack, 'steps' | 'subscriptions'> & {
  steps: Omit<LoosePack['steps'], 'run' | 'begin'> & {
    /** Runs a step and waits for it. A failure is an outcome too, with its code, sentence and remedy. */
    run<I extends AnyIntegration, S extends string, Dry extends boolean | undefined = undefined>(
      caller: Caller,
      call: TypedCall<I, S, Dry>,
    ): Promise<OutcomeOf<I, S, Dry>>
    /** Starts a run without waiting for it; `runs.get` reports on it. */
    begin<I extends AnyIntegration, S extends string, Dry extends boolean | undefined = undefined>(
      caller: Caller,
      call: TypedCall<I, S, Dry>,
    ): { runId: string; coming: Promise<OutcomeOf<I, S, Dry>> }
  }
  /** Triggers attached to agents. */
  subscriptions: Omit<LoosePack['subscriptions'], 'create'> & {
    create<I extends AnyIntegration, T extends string>(
      caller: Caller,
      subscription: TypedSubscription<I, T>,
    ): Promise<SubscriptionView>
  }
}

/**
 * Creates a pack from integrations, runtime and store. Two packs in one process share nothing.
 * @throws Failure `unavailable` when the store holds values sealed under a master key that was not given
 */
export const createPack: (options?: PackOptions) => Promise<Pack> = openPack as unknown as (
  options?: PackOptions,
) => Promise<Pack>
