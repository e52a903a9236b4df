import { LRUCache } from 'lru-cache'
import { fail, failField, isFailure, pageOptions } from '#kit'
import type { FieldSpec, Option, OptionPage } from '#kit'
import type { Wire } from '../wire/types.ts'
import type { OpenConnections } from './connections/open-connection.ts'
import { offerOf } from './catalogue/offered-fields.ts'
import { createContext } from './steps/context.ts'
import { askingFor } from './steps/endpoints.ts'
import { readChoices } from './steps/provider-values.ts'
import type { Choice } from './steps/provider-values.ts'
import { openSession, stepWith } from './steps/session.ts'
import type { Caller, Clock } from './ports/index.ts'
import { requireAllowed } from './steps/validate-call.ts'
import type { LoadedStep, Registry } from './catalogue/registry.ts'
import { findTrigger } from './catalogue/find-trigger.ts'

export type OptionsCall = {
  integration: string
  step: string
  field: string
  connection?: string | undefined
  values?: Record<string, unknown> | undefined
  query?: string | undefined
  cursor?: string | undefined
  signal?: AbortSignal | undefined
}
/** Choices for a field of a trigger's config. */
export type TriggerOptionsCall = Omit<OptionsCall, 'step'> & { trigger: string }
export type Options = {
  load(caller: Caller, call: OptionsCall): Promise<OptionPage>
  loadForTrigger(caller: Caller, call: TriggerOptionsCall): Promise<OptionPage>
  forget(tenant: string): void
}

type Asked = Omit<OptionsCall, 'step'>

/** Long enough to fill in a form without asking again, short enough that new choices show up. */
const cacheMs = 8_000
/** Of all pages together, in characters: the values a caller sends are part of the key, and a list may be long. */
const maxCached = 8_000_000

const missing = (spec: FieldSpec, values: Record<string, unknown>) => (spec.dependsOn ?? []).filter((name) => values[name] === undefined || values[name] === '')

/** What the profile in force reads from the provider for a field. */
const listOf = (found: LoadedStep, field: string) => offerOf(found).values.get(field)?.choices

const noChoices = (found: LoadedStep, field: string) => {
  const { step } = found
  const having = [...Object.keys(step.fields ?? {}).filter((name) => step.fields?.[name]?.options), ...offerOf(found).values.keys()]
  const names = having.filter((name) => step.fields?.[name]?.options ?? listOf(found, name))
  return failField('field', `"${field}" of ${step.title} has no choices to load. Fields that have: ${names.join(', ') || 'none'}.`)
}

const optionOf = ({ value, label }: Choice): Option => ({ value: String(value), label, ...(label === String(value) ? {} : { hint: String(value) }) })

export const createOptions = ({
  registry,
  openConnections,
  wire,
  clock,
}: {
  registry: Registry
  openConnections: OpenConnections
  wire: Wire
  clock: Clock
}): Options => {
  let pages: LRUCache<string, OptionPage> | undefined
  /** Made at the first need, since it allocates the room for all its entries at once. */
  const cache = () =>
    (pages ??= new LRUCache({
      max: 2_000,
      maxSize: maxCached,
      sizeCalculation: (page, key) => key.length + JSON.stringify(page).length,
      ttl: cacheMs,
      perf: { now: () => clock.monotonic() },
    }))

  const load = async (caller: Caller, found: LoadedStep, spec: FieldSpec, call: Asked): Promise<OptionPage> => {
    const opening = await openConnections.open(caller, found.loaded, call.connection)
    const { connection } = opening
    const key = JSON.stringify([
      caller.tenant,
      connection.id,
      connection.updatedAt,
      found.tool,
      call.field,
      call.values ?? {},
      call.query ?? '',
      call.cursor ?? '',
    ])
    const known = cache().get(key)
    if (known) return known
    const used = spec.options ? found : (registry.forConnection(connection).steps.get(found.step.id) ?? found)
    const list = spec.options ? undefined : listOf(used, call.field)
    if (!spec.options && !list) throw noChoices(used, call.field)
    const session = openSession({
      loaded: used,
      opened: opening,
      effect: 'read',
      signal: call.signal,
      deadlineAt: clock.monotonic() + stepWith(found, opening).loaded.wire.timeouts.totalMs,
    })
    const asked = { values: call.values ?? {}, query: call.query ?? '', ...(call.cursor === undefined ? {} : { cursor: call.cursor }) }
    const page = list
      ? pageOptions((await readChoices(askingFor(wire, clock, session), list))!.map(optionOf), asked)
      : await spec.options!(createContext(wire, clock, session), asked)
    cache().set(key, page)
    return page
  }

  const loadField = async (caller: Caller, found: LoadedStep, call: Asked): Promise<OptionPage> => {
    const spec = found.step.fields?.[call.field] ?? {}
    // Where the step asks endpoints, the profile of the connection decides.
    if (!spec.options && !found.step.endpoints?.length) throw noChoices(found, call.field)
    const lacking = missing(spec, call.values ?? {})
    if (lacking.length > 0) throw failField(`values/${lacking[0]}`, `Choose ${lacking.join(' and ')} first: the choices of "${call.field}" depend on it.`)
    try {
      return await load(caller, found, spec, call)
    } catch (thrown) {
      if (isFailure(thrown)) throw thrown
      throw fail('internal', `The choices of "${call.field}" could not be loaded because of a defect on our side.`, { cause: thrown })
    }
  }

  return {
    async load(caller, call) {
      const found = registry.step(call.integration, call.step)
      requireAllowed(caller, found)
      return loadField(caller, found, call)
    },
    async loadForTrigger(caller, call) {
      const { loaded, trigger } = findTrigger(registry, call.integration, call.trigger)
      // A trigger reads with the connection as a step of its integration would.
      const found = registry.step(loaded.integration.id, 'api-call')
      return loadField(
        caller,
        { ...found, tool: `trigger ${loaded.integration.id} ${trigger.id}`, step: { ...found.step, title: trigger.title, fields: trigger.fields ?? {} } },
        call,
      )
    },
    forget(tenant) {
      for (const key of pages?.keys() ?? []) if (key.startsWith(`[${JSON.stringify(tenant)},`)) pages?.delete(key)
    },
  }
}
