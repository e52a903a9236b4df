import { LRUCache } from 'lru-cache'
import { fail, failField, isFailure, pageOptions } from '#kit'
import type { FieldSpec, Option, OptionPage } from '#kit'
import { accountForm } from './catalogue/account-form.ts'
import type { AccountForm } from './catalogue/account-form.ts'
import type { OpenConnection, OpenConnections } from './connections/open-connection.ts'
import { offerOf } from './catalogue/offered-fields.ts'
import { createContext } from './steps/context.ts'
import { providerValues } from './endpoints/endpoints.ts'
import { readChoices } from './endpoints/provider-values.ts'
import type { Choice } from './endpoints/provider-values.ts'
import type { Gate } from './gate/pass.ts'
import { costFree } from './gate/spend.ts'
import { openSession, stepWith } from './session/session.ts'
import type { Session } from './session/session.ts'
import type { LearnedNames } from './sentences/learned-names.ts'
import type { Privacy } from './privacy/guard.ts'
import { actFor } from './people/act-for.ts'
import type { Caller, Clock } from './ports/index.ts'
import type { LoadedStep, Registry } from './catalogue/registry.ts'
import { findTrigger } from './catalogue/find-trigger.ts'

export type OptionsCall = {
  integration: string
  step: string
  field: string
  connection?: string | undefined
  /** The person whom the call acts for. */
  person?: string | undefined
  values?: Record<string, unknown> | undefined
  query?: string | undefined
  cursor?: string | undefined
  signal?: AbortSignal | undefined
}
/** Choices for a field of a trigger's config. */
export type TriggerOptionsCall = Omit<OptionsCall, 'step'> & { trigger: string }
/** Fields that the account defines, for the form of a step. */
export type AccountFieldsCall = Omit<OptionsCall, 'field' | 'query' | 'cursor'>
export type Options = {
  load(caller: Caller, call: OptionsCall): Promise<OptionPage>
  loadForTrigger(caller: Caller, call: TriggerOptionsCall): Promise<OptionPage>
  loadFields(caller: Caller, call: AccountFieldsCall): Promise<AccountForm>
  forget(tenant: string): void
}

type OptionsQuery = Omit<OptionsCall, 'step'>

/** Long enough to fill in a form without asking again, short enough that new choices show up. */
const cacheMs = 8_000
/**
 * Limit for all cached pages together, in characters: keys contain the values that callers send, and a list may be
 * long.
 */
const maxCached = 8_000_000

const missing = (spec: FieldSpec, values: Record<string, unknown>) =>
  (spec.dependsOn ?? []).filter((name) => values[name] === undefined || values[name] === '')

/** The list of choices that the wire profile in force reads from the provider for a field. */
const listOf = (loadedStep: LoadedStep, field: string) => offerOf(loadedStep).values.get(field)?.choices

const noChoices = (loadedStep: LoadedStep, field: string) => {
  const { step } = loadedStep
  const having = [
    ...Object.keys(step.fields ?? {}).filter((name) => step.fields?.[name]?.options),
    ...offerOf(loadedStep).values.keys(),
  ]
  const names = having.filter((name) => step.fields?.[name]?.options ?? listOf(loadedStep, name))
  return failField(
    'field',
    `"${field}" of ${step.title} has no choices to load. Fields that have: ${names.join(', ') || 'none'}.`,
  )
}

const optionOf = ({ value, label }: Choice): Option => ({
  value: String(value),
  label,
  ...(label === String(value) ? {} : { hint: String(value) }),
})

type OptionsDependencies = {
  registry: Registry
  openConnections: OpenConnections
  gate: Gate
  clock: Clock
  privacy: Pick<Privacy, 'of'>
  names: Pick<LearnedNames, 'note'>
}

/**
 * Data that forms read from the account, cached for seconds by tenant, connection, step and `keyParts`. `read` receives
 * a function that opens a session.
 */
type FormReads = {
  read<T extends object>(
    caller: Caller,
    loadedStep: LoadedStep,
    call: Pick<OptionsQuery, 'connection' | 'person' | 'signal'>,
    keyParts: unknown[],
    read: (opened: OpenConnection, open: (stepToOpen: LoadedStep) => Session) => Promise<T>,
  ): Promise<T>
  forget(tenant: string): void
}

const createFormReads = ({
  openConnections,
  gate,
  clock,
  privacy,
}: Omit<OptionsDependencies, 'registry' | 'names'>): FormReads => {
  let made: LRUCache<string, object> | undefined
  /** Created on first use, because it allocates room for all entries at once. */
  const cache = () =>
    (made ??= new LRUCache({
      max: 2_000,
      maxSize: maxCached,
      sizeCalculation: (page, key) => key.length + JSON.stringify(page).length,
      ttl: cacheMs,
      perf: { now: () => clock.monotonic() },
    }))
  return {
    async read<T extends object>(...[requestedBy, loadedStep, call, keyParts, read]: Parameters<FormReads['read']>) {
      const caller = actFor(requestedBy, call.person)
      const opened = await openConnections.open(caller, loadedStep.loaded, call.connection)
      const { connection } = opened
      const key = JSON.stringify([caller.tenant, connection.id, connection.updatedAt, loadedStep.tool, ...keyParts])
      const cachedResult = cache().get(key)
      if (cachedResult) return cachedResult as T
      const guards = { spend: costFree('Loading choices'), privacy: privacy.of(caller.tenant) }
      const deadlineAt = clock.monotonic() + stepWith(loadedStep, opened).loaded.wire.timeouts.totalMs
      const fresh = (await read(opened, (loaded) =>
        openSession({ gate, clock, guards, loaded, opened, effect: 'read', signal: call.signal, deadlineAt }),
      )) as T
      cache().set(key, fresh)
      return fresh
    },
    forget(tenant) {
      for (const key of made?.keys() ?? []) if (key.startsWith(`[${JSON.stringify(tenant)},`)) made?.delete(key)
    },
  }
}

/** Anything thrown other than a Failure is a defect on our side. */
const failing = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (thrown) {
    if (isFailure(thrown)) throw thrown
    throw fail('internal', `${what} could not be loaded because of a defect on our side.`, { cause: thrown })
  }
}

export const createOptions = ({
  registry,
  openConnections,
  gate,
  clock,
  privacy,
  names,
}: OptionsDependencies): Options => {
  const reads = createFormReads({ openConnections, gate, clock, privacy })

  const load = (
    caller: Caller,
    loadedStep: LoadedStep,
    spec: FieldSpec,
    call: OptionsQuery,
    place: { container?: string },
  ): Promise<OptionPage> =>
    reads.read(
      caller,
      loadedStep,
      call,
      [call.field, call.values ?? {}, call.query ?? '', call.cursor ?? ''],
      async ({ connection }, open) => {
        const used = spec.options
          ? loadedStep
          : (registry.forConnection(connection).steps.get(loadedStep.step.id) ?? loadedStep)
        const list = spec.options ? undefined : listOf(used, call.field)
        if (!spec.options && !list) throw noChoices(used, call.field)
        const session = open(used)
        const request = {
          values: call.values ?? {},
          query: call.query ?? '',
          ...place,
          ...(call.cursor === undefined ? {} : { cursor: call.cursor }),
        }
        const page = list
          ? pageOptions((await readChoices(providerValues(session), list))!.map(optionOf), request)
          : await spec.options!(createContext(session), request)
        const { names: kind } = spec
        if (kind !== undefined)
          names.note(
            { tenant: caller.tenant, integration: connection.integration, connection: connection.id },
            page.options.map(({ value, label }) => ({ kind, id: value, name: label })),
          )
        return page
      },
    )

  /** The default container of the connection, where a field of the step names one of its kind. */
  const containerFor = async (
    requestedBy: Caller,
    { step, loaded }: LoadedStep,
    { connection, person }: Pick<OptionsCall, 'connection' | 'person'>,
  ): Promise<{ container?: string }> => {
    const kind = loaded.integration.scopes?.kind
    if (!Object.values(step.fields ?? {}).some(({ names: named }) => named === kind)) return {}
    const opened = await openConnections.open(actFor(requestedBy, person), loaded, connection)
    const { defaultContainer } = opened.connection
    return defaultContainer == null ? {} : { container: defaultContainer }
  }

  const loadField = async (caller: Caller, loadedStep: LoadedStep, call: OptionsQuery): Promise<OptionPage> => {
    const { fields = {}, endpoints } = loadedStep.step
    const spec = fields[call.field] ?? {}
    // For a step that uses endpoints, the wire profile of the connection decides.
    if (!spec.options && !endpoints?.length) throw noChoices(loadedStep, call.field)
    const place = await containerFor(caller, loadedStep, call)
    const kind = loadedStep.loaded.integration.scopes?.kind
    const lacking = missing(spec, call.values ?? {}).filter(
      (name) => place.container === undefined || fields[name]?.names !== kind,
    )
    if (lacking.length > 0)
      throw failField(
        `values/${lacking[0]}`,
        `Choose ${lacking.join(' and ')} first: the choices of "${call.field}" depend on it.`,
      )
    return failing(`The choices of "${call.field}"`, () => load(caller, loadedStep, spec, call, place))
  }

  return {
    async load(caller, call) {
      const loadedStep = registry.step(call.integration, call.step)
      return loadField(caller, loadedStep, call)
    },
    async loadForTrigger(caller, call) {
      const { loaded, trigger } = findTrigger(registry, call.integration, call.trigger)
      // A trigger uses the connection as a step of its integration would, so the API Call step stands in for it.
      const loadedStep = registry.step(loaded.integration.id, 'api-call')
      return loadField(
        caller,
        {
          ...loadedStep,
          tool: `trigger ${loaded.integration.id} ${trigger.id}`,
          step: { ...loadedStep.step, title: trigger.title, fields: trigger.fields ?? {} },
        },
        call,
      )
    },
    async loadFields(caller, call) {
      const loadedStep = registry.step(call.integration, call.step)
      const { accountFields, title } = loadedStep.step
      if (!accountFields)
        throw failField(
          'step',
          `"${title}" has no fields that the account defines. \`accountFields\` of a step in the manifest says which has.`,
        )
      const values = call.values ?? {}
      const place = await containerFor(caller, loadedStep, call)
      const load = () =>
        reads.read(caller, loadedStep, call, ['fields of the account', values], async (_, open) =>
          accountForm(await accountFields.load(createContext(open(loadedStep)), { values, ...place })),
        )
      return failing(`The fields of "${title}"`, load)
    },
    forget: reads.forget,
  }
}
