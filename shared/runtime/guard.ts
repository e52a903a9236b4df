import { isFailure, isRefusedToCaller } from '#kit'
import type { Rule } from '../api/rules.ts'
import type { Audit } from './admin/audit.ts'
import { isBoundToSteps, requireRule, requireStep } from './bounds.ts'
import type { Registry } from './catalogue/registry.ts'
import type { Caller, Connection } from './ports/index.ts'

type Verb = (caller: Caller, ...parameters: never[]) => unknown
/** A rule for each verb that takes a caller. */
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

/** The step that a verb of `bound: 'step'` names. */
const stepIn = ([named]: unknown[]) =>
  isObject(named) && typeof named.integration === 'string' && typeof named.step === 'string'
    ? { integration: named.integration, step: named.step }
    : undefined

export type Guard = ReturnType<typeof createGuard>

/**
 * Puts verbs under the rules of their operations: callers who may not call them are refused, and what changes something
 * is written down, as is every call for what is not there or not theirs. A caller who tries foreign ids gets
 * `not_found` and leaves a row.
 */
export const createGuard = ({
  audit,
  registry,
}: {
  audit: Pick<Audit, 'changed' | 'refused'>
  registry: Pick<Registry, 'step'>
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
        const result = await verb(caller, ...rest)
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

/** The rule of a verb that writes its own rows, since it knows more. */
export const withOwnRows = (rule: Rule): Rule => ({ ...rule, changes: false })

/** A verb that writes its own rows and takes its caller at that place, if there is one. */
export const checked =
  <A extends unknown[], R>(rule: Rule, place: number, verb: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    const caller = args[place] as Caller | undefined
    if (caller) requireRule(caller, rule)
    return verb(...args)
  }
