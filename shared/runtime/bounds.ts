import { fail } from '#kit'
import { hashRequest } from './idempotency.ts'
import { isInToolSet } from './catalogue/tool-sets.ts'
import type { LoadedStep, Registry } from './catalogue/registry.ts'
import type { Caller, Scope } from './ports/index.ts'

/**
 * What the token of a caller is bound to, and what that leaves to it. Verbs of jobs, files and stored results read their
 * rule from here, and so does whatever asks whether a step may be run.
 */

export const isBoundToSteps = ({ steps, toolSet }: Caller): boolean => steps !== undefined || toolSet !== undefined
export const isBound = (caller: Caller): boolean => isBoundToSteps(caller) || caller.connections !== undefined

/**
 * What tells apart the requests of tokens that are bound to different steps. Nothing for a token that is not bound, or is
 * to connections alone: those are part of what is asked for.
 */
export const stepBoundsOf = (caller: Caller): unknown[] => (isBoundToSteps(caller) ? [caller.steps?.toSorted() ?? null, caller.toolSet ?? null] : [])

export const mayUseStep = ({ steps, toolSet }: Caller, found: LoadedStep): boolean =>
  (steps?.includes(`${found.loaded.integration.id}/${found.step.id}`) ?? true) && (toolSet === undefined || isInToolSet(found, toolSet))

/** Throws `not_allowed` when the token is bound to other steps. */
export const requireBound = (caller: Caller, found: LoadedStep) => {
  const { loaded, step } = found
  if (mayUseStep(caller, found)) return
  const id = `${loaded.integration.id}/${step.id}`
  if (caller.steps && !caller.steps.includes(id)) throw fail('not_allowed', `This token may not run ${id}. It is bound to: ${caller.steps.join(', ')}.`)
  throw fail('not_allowed', `This token may not run ${id}. It is bound to the tool set "${caller.toolSet}", which does not have it.`)
}

/** Throws `not_allowed` when the token may not run the step. */
export const requireAllowed = (caller: Caller, found: LoadedStep) => {
  if (caller.scopes && !caller.scopes.includes('run')) throw fail('not_allowed', 'This token may not run steps. Use one with the scope "run".')
  requireBound(caller, found)
}

/** A token that is bound to steps reads nothing else of the account. @throws Failure `not_allowed` */
export const requireTriggers = (caller: Caller) => {
  if (!isBoundToSteps(caller) || (caller.scopes?.includes('subscriptions') ?? true)) return
  throw fail('not_allowed', 'This token is bound to certain steps and may not read the choices of triggers. Use one with the scope "subscriptions".')
}

/** `mayUseStep` by the names that a stored thing has. What no integration has any more is nobody's who is bound. */
export const mayUseStepOf = ({ all }: Pick<Registry, 'all'>, caller: Caller, of: { integration: string; step: string }): boolean => {
  if (!isBoundToSteps(caller)) return true
  const found = all.find(({ integration }) => integration.id === of.integration)?.steps.get(of.step)
  return found !== undefined && mayUseStep(caller, found)
}

export const mayUseConnection = ({ connections }: Caller, id: string): boolean => connections?.includes(id) ?? true

/** Whose a stored thing is: the token that made it, and the connections it belongs to. */
type Owner = { token: string | null; connections: string[] | null }

/** Whether something stored is a bound token's own: it made it, or is bound to connections alone and it belongs to those. */
export const isOwn = (caller: Caller, { token, connections }: Owner): boolean => {
  if (!isBound(caller)) return true
  if (caller.token !== undefined && caller.token === token) return true
  return !isBoundToSteps(caller) && connections !== null && connections.length > 0 && connections.every((id) => mayUseConnection(caller, id))
}

/** An idempotency key as the key of the one who gave it: a bound token has keys of its own, so that it is not given what another made. */
export const keyOf = (caller: Caller, key: string): string => {
  if (!isBound(caller)) return key
  const { token = null, connections } = caller
  return `${key} ${hashRequest([token, ...stepBoundsOf(caller), connections?.toSorted() ?? null])}`
}

/** @throws Failure `not_allowed` for a token without any of these scopes */
export const requireScope = ({ scopes }: Caller, ...wanted: [Scope, ...Scope[]]): void => {
  if (scopes === undefined || wanted.some((scope) => scopes.includes(scope))) return
  throw fail('not_allowed', `This token lacks permission. Use one with the scope ${wanted.map((scope) => `"${scope}"`).join(' or ')}.`)
}
