import { fail } from '#kit'
import type { Failure } from '#kit'
import { hashRequest } from './idempotency.ts'
import { isInToolSet } from './catalogue/tool-sets.ts'
import type { LoadedStep, Registry } from './catalogue/registry.ts'
import { rules } from '../api/rules.ts'
import type { BoundRule, Rule } from '../api/rules.ts'
import { isBoundToPerson, isForPerson, mayUseConnection, mayUseFile } from './people/act-for.ts'
import type { Caller, Run } from './ports/index.ts'

type Scoped = Pick<Rule, 'access'>

/** Whether the scopes of a caller allow an operation. A caller without a token may call everything. */
export const mayCall = ({ scopes }: Caller, { access }: Scoped): boolean =>
  scopes === undefined || typeof access === 'string' || access.some((scope) => scopes.includes(scope))

export const lacksScope = ({ access }: Scoped): Failure => {
  const wanted = [access].flat().map((scope) => `"${scope}"`)
  return fail('not_allowed', `This token lacks permission. Use one with the scope ${wanted.join(' or ')}.`)
}

/** @throws Failure `not_allowed` for a token that has none of the required scopes */
export const requireAccess = (caller: Caller, of: Scoped): void => {
  if (!mayCall(caller, of)) throw lacksScope(of)
}

// A token may be bound to steps, a tool set or connections. Everything that shows or uses a stored object asks these
// functions what the token may reach; for whom it acts, and what that person may use, says people/act-for.ts.

export const isBoundToSteps = ({ steps, toolSet }: Caller): boolean => steps !== undefined || toolSet !== undefined
export const isBound = (caller: Caller): boolean => isBoundToSteps(caller) || caller.connections !== undefined

/**
 * Distinguishes the requests of tokens that are bound to different steps. Empty for a token that is not bound, or only
 * to connections: a request already includes its connection.
 */
export const stepBoundsOf = (caller: Caller): unknown[] =>
  isBoundToSteps(caller) ? [caller.steps?.toSorted() ?? null, caller.toolSet ?? null] : []

export const mayUseStep = ({ steps, toolSet }: Caller, loadedStep: LoadedStep): boolean =>
  (steps?.includes(`${loadedStep.loaded.integration.id}/${loadedStep.step.id}`) ?? true) &&
  (toolSet === undefined || isInToolSet(loadedStep, toolSet))

/** @throws Failure `not_allowed` when the token is bound to other steps or another tool set */
export const requireStep = (caller: Caller, found: LoadedStep) => {
  const { loaded, step } = found
  if (mayUseStep(caller, found)) return
  const id = `${loaded.integration.id}/${step.id}`
  if (caller.steps && !caller.steps.includes(id))
    throw fail('not_allowed', `This token may not run ${id}. It is bound to: ${caller.steps.join(', ')}.`)
  throw fail(
    'not_allowed',
    `This token may not run ${id}. It is bound to the tool set "${caller.toolSet}", which does not have it.`,
  )
}

/** @throws Failure `not_allowed` when the token lacks the scope or may not run the step */
export const requireRun = (caller: Caller, found: LoadedStep) => {
  requireAccess(caller, rules.runStep)
  requireStep(caller, found)
}

const unbound = 'Use one that is not bound.'
/**
 * Reasons to refuse a bound token whatever object a call is about. Bounds that depend on the object are not here: the
 * operation itself hides what the token may not see.
 */
const refusals: { [bound in BoundRule]?: (caller: Caller) => string | false } = {
  unbound: (caller) =>
    (isBound(caller) || isBoundToPerson(caller)) &&
    `This token is bound to certain steps or connections or to a person, and this is about more than those. ${unbound}`,
  'not-connections': ({ connections }) =>
    connections !== undefined &&
    `This token is bound to certain connections, and this is about more than those. ${unbound}`,
  workspace: ({ connections, ...caller }) =>
    (connections !== undefined || isBoundToPerson(caller)) &&
    `This token is bound to certain connections or to a person, and this is about the whole workspace. ${unbound}`,
  person: (caller) =>
    isBound(caller) &&
    `This token is bound to certain steps or connections, and this is about people with all that they have. ${unbound}`,
  'not-steps': (caller) =>
    isBoundToSteps(caller) &&
    'This token is bound to certain steps, and this is about all of them. Use one that is bound to connections alone, or to nothing.',
  trigger: (caller) =>
    isBoundToSteps(caller) &&
    !(caller.scopes?.includes('subscriptions') ?? true) &&
    'This token is bound to certain steps and may not read the choices of triggers. Use one with the scope "subscriptions".',
}

/**
 * What no program may do that somebody let in, even with all rights of who did: it is about the whole workspace, or about
 * the limits that people set for programs.
 */
const notForPrograms: readonly BoundRule[] = ['unbound', 'workspace', 'not-steps']
const ofProgram =
  'A program that somebody let in may not do this: it is about the whole workspace, or about limits that people set. Use a token, or the console.'

/** @throws Failure `not_allowed` when the token's scopes or bounds rule out the operation altogether */
export const requireRule = (caller: Caller, rule: Rule): void => {
  requireAccess(caller, rule)
  const why = refusals[rule.bound]?.(caller) || (caller.program && notForPrograms.includes(rule.bound) && ofProgram)
  if (why) throw fail('not_allowed', why)
}

/**
 * `mayUseStep` by the stored ids. A step that no integration has any more is never allowed to a token bound to steps.
 */
export const mayUseStepOf = (
  { all }: Pick<Registry, 'all'>,
  caller: Caller,
  of: { integration: string; step: string },
): boolean => {
  if (!isBoundToSteps(caller)) return true
  const loadedStep = all.find(({ integration }) => integration.id === of.integration)?.steps.get(of.step)
  return loadedStep !== undefined && mayUseStep(caller, loadedStep)
}

/**
 * A bound token sees its own runs, and those of others whose connection and step it may use. Of the runs that had no
 * connection, a token bound to connections sees only its own. A token that is bound to a person sees that person's.
 */
export const isVisible = (
  registry: Pick<Registry, 'all'>,
  caller: Caller,
  run: Pick<Run, 'connection' | 'token' | 'person' | 'integration' | 'step'>,
): boolean => {
  if (!isForPerson(caller, run)) return false
  const isOwn = caller.token !== undefined && run.token === caller.token
  const isOfConnection =
    run.connection === null ? isOwn || !caller.connections : (caller.connections?.includes(run.connection) ?? true)
  return isOfConnection && (isOwn || mayUseStepOf(registry, caller, run))
}

/** Who owns a stored object: the person it was made for, the token that created it, and the connections it belongs to. */
type Owner = { person?: string | null; token: string | null; connections: string[] | null }

/**
 * Whether a stored object is a bound token's own: the token created it, or the token is bound only to connections and
 * the object belongs to no others. What was made for another person is not, nor is it for a call for somebody else.
 */
export const isOwn = (caller: Caller, { person = null, token, connections }: Owner): boolean => {
  if (!mayUseFile(caller, { person })) return false
  if (!isBound(caller)) return true
  if (caller.token !== undefined && caller.token === token) return true
  return (
    !isBoundToSteps(caller) &&
    connections !== null &&
    connections.length > 0 &&
    connections.every((id) => mayUseConnection(caller, id))
  )
}

/**
 * Scopes an idempotency key to its caller: each bound token and each person has its own key space, so nobody receives
 * the result of another.
 */
export const keyOf = (caller: Caller, key: string): string => {
  const { token = null, connections, person } = caller
  const ofPerson = person === undefined ? [] : [{ person }]
  if (!isBound(caller)) return person === undefined ? key : `${key} ${hashRequest(ofPerson)}`
  return `${key} ${hashRequest([token, ...stepBoundsOf(caller), connections?.toSorted() ?? null, ...ofPerson])}`
}
