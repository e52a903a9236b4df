import type { Effect } from '#kit'
import { isInToolSet } from '../catalogue/tool-sets.ts'
import type { LoadedStep } from '../catalogue/registry.ts'
import type { ApprovalRule, Caller } from '../ports/index.ts'

/** What rules ask about a call. A lookup at several providers has one for each of them. */
export type CallFacts = { caller: Caller; loadedStep: LoadedStep; effect: Effect; connection: string }

const allows = <T>(names: readonly T[] | undefined, name: T | undefined): boolean =>
  names === undefined || (name !== undefined && names.includes(name))

/** Whether the conditions of a rule that need no plan are met. */
export const mayConcern = ({ when }: ApprovalRule, { caller, loadedStep, effect, connection }: CallFacts): boolean => {
  const { integration } = loadedStep.loaded
  return (
    allows(when.integrations, integration.id) &&
    allows(when.steps, `${integration.id}/${loadedStep.step.id}`) &&
    (when.toolSets?.some((set) => isInToolSet(loadedStep, set)) ?? true) &&
    allows(when.effects, effect) &&
    allows(when.connections, connection) &&
    allows(when.tokens, caller.token) &&
    allows(when.people, caller.person)
  )
}

/** What a call would send, as far as is known before. `credits`: the most; undefined: nobody knows. */
export type CallPlan = {
  requests: readonly unknown[]
  complete: boolean
  /** Whether something would change or cost credits. */
  matters: boolean
  credits: number | null | undefined
  /** All ids of the containers that it touches; `unknown`: it may be any; undefined: the integration has none. */
  containers(): Promise<readonly string[] | 'unknown' | undefined>
}

/**
 * What a call would send now. `shown`: hashes of the requests that change or cost something. `state`: hash of what was
 * read to find out.
 */
export type SendPlan = CallPlan & { shown: readonly string[]; state: string; isMany?: boolean }

/** The first of the rules whose other conditions are met, too. */
export const firstMatch = async (
  rules: readonly ApprovalRule[],
  { credits, matters, containers }: CallPlan,
): Promise<ApprovalRule | undefined> => {
  if (!matters) return undefined
  for (const rule of rules) {
    const { creditsOver, objects } = rule.when
    // A price that nobody knows may be above any limit.
    if (creditsOver !== undefined && credits !== undefined && (credits ?? 0) <= creditsOver) continue
    if (!objects) return rule
    const ids = await containers()
    if (ids === 'unknown' || (ids && objects.some((id) => ids.includes(id)))) return rule
  }
  return undefined
}
