/** Types of steps by id, for the faces that type them. */
import type { StepTypes } from '../../manifests/types.ts'

/** Ids of the shipped integrations. */
export type IntegrationId = keyof StepTypes
/** Ids of the steps of an integration. */
export type StepId<I extends IntegrationId> = keyof StepTypes[I] & string

export type PartOf<T, Part extends string> = T extends { [name in Part]: infer Value } ? Value : never
/** The input of a step. */
export type StepInput<I extends IntegrationId, S extends StepId<I>> = PartOf<StepTypes[I][S], 'input'>
/** The output of a step. */
export type StepOutput<I extends IntegrationId, S extends StepId<I>> = PartOf<StepTypes[I][S], 'output'>

// Lets an editor suggest the known ids while any other string is accepted.
export type AnyIntegration = IntegrationId | (string & {})
export type StepOf<I, S extends string> = I extends IntegrationId ? (string extends S ? S : StepId<I>) : S
export type InputOf<I, S> = I extends IntegrationId ? (S extends StepId<I> ? StepInput<I, S> : unknown) : unknown
export type OutputOf<I, S> = I extends IntegrationId ? (S extends StepId<I> ? StepOutput<I, S> : unknown) : unknown
