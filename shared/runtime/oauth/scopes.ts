import { shownCost } from '../catalogue/price.ts'
import type { LoadedStep, Registry } from '../catalogue/registry.ts'
import { isOffered, isInToolSet, toolSetsOf } from '../catalogue/tool-sets.ts'
import { mayCall, mayUseStep } from '../bounds.ts'
import { rules } from '../../api/rules.ts'
import type { Scope } from '../../api/rules.ts'
import type { Caller } from '../ports/index.ts'
import { apiPath, integrationAt } from './resources.ts'
import { Refusal } from './refusal.ts'

/**
 * Scopes of clients. Those of tokens mean the same here. `run:…` are parts of `run`: tools that only read, that change
 * something, that cost credits. `set:…` limits them to a tool set.
 */
export const toolScopes = ['run:read', 'run:write', 'run:spend'] as const
const ofSet = 'set:'

/** What is asked for where a client says nothing. */
export const defaultScopes = ['run', 'read']

/** Never `approvals`: whoever let a program in would let it decide about its own runs, and those of others. */
const ownScopes = (path: string): Scope[] =>
  path === apiPath ? ['run', 'read', 'connections', 'subscriptions'] : ['run', 'read']

const setsAt = (registry: Pick<Registry, 'all'>, path: string): string[] => {
  const only = integrationAt(path)
  const loaded = registry.all.filter(({ integration }) => only === undefined || integration.id === only)
  return [...new Set(loaded.flatMap((integration) => toolSetsOf(integration).map(({ id }) => id)))]
}

/** Every scope that a client may ask for at a resource. */
export const scopesAt = (registry: Pick<Registry, 'all'>, path: string): string[] => [
  ...ownScopes(path),
  ...toolScopes,
  ...setsAt(registry, path).map((id) => ofSet + id),
]

/**
 * The scopes that a client asks for. Unknown ones are left out, because many clients ask every server for the same.
 * @throws Refusal `invalid_scope` where none is left
 */
export const readScopes = (registry: Pick<Registry, 'all'>, path: string, text: string | undefined): string[] => {
  if (text === undefined || text.trim() === '') return [...defaultScopes]
  const known = scopesAt(registry, path)
  const scopes = [...new Set(text.split(' '))].filter((scope) => known.includes(scope))
  if (scopes.length > 0) return scopes
  throw new Refusal('invalid_scope', `None of these scopes exists here. There are: ${known.join(', ')}.`)
}

const isForTools = (scope: string) => scope === 'run' || scope.startsWith('run:') || scope.startsWith(ofSet)

/** The scopes of a token that mean the same. */
export const tokenScopes = (scopes: readonly string[], path: string): Scope[] =>
  ownScopes(path).filter((own) => (own === 'run' ? scopes.some(isForTools) : scopes.includes(own)))

/** What a step does, as a person reads it. */
export type Mark = 'reads' | 'writes' | 'deletes' | 'costs'

const costs = (loadedStep: LoadedStep) => shownCost(loadedStep) !== undefined || loadedStep.step.cost !== undefined

export const marksOf = (loadedStep: LoadedStep): Mark[] => {
  const { effect } = loadedStep.step
  // A request that the caller writes itself costs what its endpoint costs.
  const isPaid =
    typeof effect === 'function'
      ? [...loadedStep.loaded.steps.values()].some((other) => other !== loadedStep && costs(other))
      : costs(loadedStep)
  const marks: Mark[] =
    typeof effect === 'function'
      ? ['reads', 'writes', 'deletes']
      : [effect === 'read' ? 'reads' : effect === 'delete' ? 'deletes' : 'writes']
  return isPaid ? [...marks, 'costs'] : marks
}

/** The parts of `run` that a step needs: all of them. */
const needsOf = (loadedStep: LoadedStep): string[] => {
  const marks = marksOf(loadedStep)
  const changes = marks.includes('writes') || marks.includes('deletes')
  const costs = marks.includes('costs')
  return [
    ...(changes ? ['run:write'] : []),
    ...(costs ? ['run:spend'] : []),
    ...(!changes && !costs ? ['run:read'] : []),
  ]
}

/** The scopes that a step needs beyond these; empty: none. */
export const missingFor = (scopes: readonly string[], loadedStep: LoadedStep): string[] => {
  const sets = scopes.filter((scope) => scope.startsWith(ofSet)).map((scope) => scope.slice(ofSet.length))
  const isInSets = sets.length === 0 || sets.some((set) => isInToolSet(loadedStep, set))
  const parts = scopes.filter((scope) => scope === 'run' || scope.startsWith('run:'))
  const needs = needsOf(loadedStep)
  // A set alone stands for all of its tools.
  const missing =
    parts.includes('run') || (parts.length === 0 && sets.length > 0)
      ? []
      : needs.filter((need) => !parts.includes(need))
  const set = toolSetsOf(loadedStep.loaded).find(({ steps }) => steps.includes(loadedStep.step.id))
  return [...missing, ...(isInSets ? [] : [set ? ofSet + set.id : 'run'])]
}

/** The tools that these scopes mean at a resource, as far as the caller may use them itself. */
export const stepsFor = (
  registry: Pick<Registry, 'all'>,
  caller: Caller,
  { scopes, resource }: { scopes: readonly string[]; resource: string },
): LoadedStep[] => {
  if (!mayCall(caller, rules.runStep)) return []
  const only = integrationAt(resource)
  return registry.all
    .filter(({ integration }) => only === undefined || integration.id === only)
    .flatMap(({ steps }) => [...steps.values()])
    .filter(
      (loadedStep) =>
        isOffered(loadedStep) && mayUseStep(caller, loadedStep) && missingFor(scopes, loadedStep).length === 0,
    )
}

export const nameOf = ({ loaded, step }: LoadedStep): string => `${loaded.integration.id}/${step.id}`

/** Whether the scopes stand for every tool, those of later versions too. */
export const isWhole = (scopes: readonly string[]): boolean =>
  scopes.includes('run') && !scopes.some((scope) => scope.startsWith(ofSet))
