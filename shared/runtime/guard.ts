import { isFailure, isRefusedToCaller } from '#kit'
import type { Rule } from '../api/rules.ts'
import type { Audit } from './admin/audit.ts'
import { isBoundToSteps, requireRule, requireStep } from './bounds.ts'
import type { Registry } from './catalogue/registry.ts'
import type { People } from './people/people.ts'
import type { Caller, Connection } from './ports/index.ts'

type Verb = (caller: Caller, ...parameters: never[]) => unknown
/** A rule for each function that takes a caller. */
type RulesOf<T> = { [Name in keyof T as T[Name] extends Verb ? Name : never]: Rule }

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const aboutOf = (parameters: unknown[], result: unknown): { integration: string | null; connection: string | null } => {
  const [first] = parameters
  const parts = [first, result].filter(isObject) as Partial<Pick<Connection, 'id' | 'integration'>>[]
  const id = typeof first === 'string' ? first : parts.map((part) => part.id).find((part) => typeof part === 'string')
  return {
    integration: parts.map((part) => part.integration).find((part) => typeof part === 'string') ?? null,
    connection: id ?? null,
  }
}

/** The step that a call with `bound: 'step'` names. */
const stepIn = ([named]: unknown[]) =>
  isObject(named) && typeof named.integration === 'string' && typeof named.step === 'string'
    ? { integration: named.integration, step: named.step }
    : undefined

export type Guard = ReturnType<typeof createGuard>

/**
 * Enforces the rules of operations on the functions that implement them. Refuses callers who may not call them; audits
 * changes, and every call for an object that does not exist or is not the caller's. A caller who tries foreign ids thus
 * gets `not_found` and leaves an audit row. Callers that are bound to a person learn here which connections that person
 * may use.
 */
export const createGuard = ({
  audit,
  registry,
  people,
}: {
  audit: Pick<Audit, 'changed' | 'refused'>
  registry: Pick<Registry, 'step'>
  people: Pick<People, 'withUsable'>
}) => {
  const guarded = (what: string, rule: Rule, verb: Verb) => {
    const requireAllowed = (caller: Caller, rest: unknown[]) => {
      requireRule(caller, rule)
      const step = rule.bound === 'step' && isBoundToSteps(caller) ? stepIn(rest) : undefined
      if (step) requireStep(caller, registry.step(step.integration, step.step))
    }
    return async (caller: Caller, ...rest: never[]) => {
      try {
        requireAllowed(caller, rest)
        const result = await verb(await people.withUsable(caller), ...rest)
        if (rule.changes) await audit.changed(caller, { what, ...aboutOf(rest, result) })
        return result
      } catch (thrown) {
        if (isFailure(thrown) && (rule.changes || isRefusedToCaller(thrown)))
          await audit.refused(caller, { what, ...aboutOf(rest, undefined) }, thrown)
        throw thrown
      }
    }
  }
  return <T extends object>(room: string, verbs: T, rules: RulesOf<T>): T => ({
    ...verbs,
    ...Object.fromEntries(
      Object.entries<Rule>(rules).map(([name, rule]) => [
        name,
        guarded(`${room}.${name}`, rule, verbs[name as keyof T] as Verb),
      ]),
    ),
  })
}

/** The rule for a function that writes its own, more detailed audit rows. */
export const withOwnRows = (rule: Rule): Rule => ({ ...rule, changes: false })

/**
 * Enforces a rule on a function that writes its own audit rows. Its caller, if any, is the argument at index `place`.
 */
export const checked =
  <A extends unknown[], R>(rule: Rule, place: number, verb: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    const caller = args[place] as Caller | undefined
    if (caller) requireRule(caller, rule)
    return verb(...args)
  }
