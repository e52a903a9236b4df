import { fail, failField, isFailure, linkedinPersonSlug, linkedinPersonUrl, normaliseDomain } from '#kit'
import type { KeySets, Normalised } from '#kit'
import { offerOf } from '../../catalogue/offered-fields.ts'
import { parseInput } from '../../catalogue/parse.ts'
import { stepCost } from '../../catalogue/price.ts'
import { mayUseStep } from '../../bounds.ts'
import type { LoadedIntegration, LoadedStep, Registry } from '../../catalogue/registry.ts'
import type { ConnectionView } from '../../connections/connections.ts'
import { candidatesFor, withName } from '../../people/choose.ts'
import type { DefaultAccount } from '../../people/choose.ts'
import type { Caller } from '../../ports/index.ts'
import { listOf } from './record-fields.ts'
import type { Kind } from './record-fields.ts'
import type { Estimate } from './rates.ts'

export type Identifiers = { [field: string]: string }
export type AskedProvider = { integration: string; connection?: string | undefined }

/**
 * A provider of the chain. `connection` is undefined when the caller names none and none exists; the run then reports
 * what is missing.
 */
export type Candidate = {
  integration: string
  title: string
  connection: string | undefined
  name: string | undefined
  loadedStep: LoadedStep
  /** Where the order is chosen: why it is asked in this turn. */
  estimate?: Estimate | undefined
}

/** The key of its rates, which accounts at one provider share. */
export const providerOf = ({ integration, loadedStep }: Candidate) => `${integration} ${loadedStep.loaded.wire.profile}`

export const lookupStep = (loaded: LoadedIntegration, kind: Kind): LoadedStep | undefined =>
  [...loaded.steps.values()].find(({ step }) => step.lookup === kind)

/** The integrations whose lookup step the caller may run. */
export const integrationsFor = ({ all }: Pick<Registry, 'all'>, caller: Caller, kind: Kind) =>
  all.flatMap((loaded) => {
    const loadedStep = lookupStep(loaded, kind)
    return loadedStep && mayUseStep(caller, loadedStep) ? [loaded.integration] : []
  })

/** Ids belong to one provider, and `reveal` follows from the wanted fields. */
const isShared = (name: string) => !name.endsWith('Id') && name !== 'reveal'

/** Names of the identifiers that any of the lookup steps accepts. */
export const identifierNames = (registry: Pick<Registry, 'all'>, kind: Kind): string[] => [
  ...new Set(
    registry.all.flatMap((loaded) => Object.keys(lookupStep(loaded, kind)?.step.input.shape ?? {})).filter(isShared),
  ),
]

const valueOf = (read: Normalised): string | undefined => (read.ok ? read.value : undefined)

/** Other forms of given identifiers, for providers that accept only those. */
const forms: { [field: string]: { from: string; as(value: string): string | undefined } } = {
  linkedinUrl: { from: 'linkedinSlug', as: (slug) => valueOf(linkedinPersonUrl(slug)) },
  linkedinSlug: { from: 'linkedinUrl', as: (url) => valueOf(linkedinPersonSlug(url)) },
  domain: { from: 'website', as: (website) => valueOf(normaliseDomain(website)) },
}

const takes = (loadedStep: LoadedStep, name: string) =>
  name in loadedStep.step.input.shape && !offerOf(loadedStep).hidden.has(name)

/**
 * What to pay for with a provider that charges by kind of value: only what is still missing; if that is neither kind,
 * the cheapest.
 */
const revealFor = (loadedStep: LoadedStep, input: Identifiers, missing: string[]): string[] | undefined => {
  if (!takes(loadedStep, 'reveal')) return undefined
  const words = offerOf(loadedStep).values.get('reveal')?.words ?? ['emails', 'phones']
  const lists = [...new Set(missing.map(listOf))].filter(
    (list) => list !== undefined && words.includes(list),
  ) as string[]
  if (lists.length > 0) return lists
  const price = (word: string) => stepCost(loadedStep, { ...input, reveal: [word] })?.typical[1] ?? 0
  return words.toSorted((word, other) => price(word) - price(other)).slice(0, 1)
}

/**
 * The input for a provider: the identifiers that it accepts and what to reveal; undefined when the identifiers do not
 * suffice.
 */
export const inputFor = (
  { loadedStep }: Candidate,
  identifiers: Identifiers,
  missing: string[],
): Record<string, unknown> | undefined => {
  const input: Identifiers = {}
  for (const [name, value] of Object.entries(identifiers)) if (takes(loadedStep, name)) input[name] = value
  for (const [name, { from, as }] of Object.entries(forms)) {
    const value = identifiers[from]
    if (value === undefined || input[name] !== undefined || input[from] !== undefined || !takes(loadedStep, name))
      continue
    const other = as(value)
    if (other !== undefined) input[name] = other
  }
  const rule = loadedStep.step.input.meta()?.['x-key-sets'] as KeySets | undefined
  if (rule && !rule.sets.some((set) => set.every((name) => input[name] !== undefined))) return undefined
  const reveal = revealFor(loadedStep, input, missing)
  return { ...input, ...(reveal ? { reveal } : {}) }
}

/** Rejects malformed identifiers before anything is sent. @throws Failure `invalid_input` */
export const requireWellFormed = (candidates: Candidate[], identifiers: Identifiers, want: string[]) => {
  for (const candidate of candidates) {
    const input = inputFor(candidate, identifiers, want)
    if (!input) continue
    try {
      parseInput(candidate.loadedStep.step, input)
    } catch (thrown) {
      if (!isFailure(thrown) || !thrown.details.errors) throw thrown
      throw fail('invalid_input', thrown.message, {
        errors: thrown.details.errors.map(({ pointer, message }) => ({ pointer: `/identifiers${pointer}`, message })),
      })
    }
  }
}

const isUsable = ({ state }: ConnectionView) => state === 'connected' || state === 'unverified'

const candidateOf = (
  loaded: LoadedIntegration,
  kind: Kind,
  connection: string | undefined,
  name: string | undefined,
): Candidate | undefined => {
  const loadedStep = lookupStep(loaded, kind)
  return (
    loadedStep && { integration: loaded.integration.id, title: loaded.integration.title, connection, name, loadedStep }
  )
}

/**
 * The integration with the profile that the connection has chosen; undefined when that profile no longer exists, which
 * a run reports.
 */
const chosenOf = (loaded: LoadedIntegration, { profile }: ConnectionView): LoadedIntegration | undefined => {
  try {
    return loaded.withProfile(profile)
  } catch (thrown) {
    if (isFailure(thrown)) return undefined
    throw thrown
  }
}

type CandidateSource = {
  registry: Registry
  caller: Caller
  kind: Kind
  connections: ConnectionView[]
  order: DefaultAccount
  /** Integrations whose connection the caller named: only that one is in `connections`. */
  named: ReadonlySet<string>
}

/** Of each integration, the connections that a call without `connection` may take. */
const unnamed = ({ caller, order, connections, named }: CandidateSource) =>
  [...Map.groupBy(connections, ({ integration }) => integration)].flatMap(([integration, own]) =>
    named.has(integration) ? own : candidatesFor(caller, order, own),
  )

/** The providers that the caller names, in that order. */
export const namedCandidates = (given: CandidateSource, providers: AskedProvider[]): Candidate[] => {
  const { registry, kind, connections } = given
  return providers.map(({ integration, connection }, index) => {
    const own = connections.filter((row) => row.integration === integration)
    const usual = unnamed({ ...given, connections: own })
    const hit =
      connection === undefined
        ? usual.length === 1
          ? usual[0]
          : usual.find(({ isDefault }) => isDefault)
        : (own.find(({ id }) => id === connection) ?? withName(given.caller, own, connection))
    const loaded = registry.integration(integration)
    const candidate = candidateOf((hit && chosenOf(loaded, hit)) ?? loaded, kind, hit?.id ?? connection, hit?.name)
    if (candidate) return candidate
    const able = registry.all.filter((entry) => lookupStep(entry, kind)).map((entry) => entry.integration.id)
    throw failField(
      `/providers/${index}/integration`,
      `"${integration}" has no step that looks up a ${kind}. Integrations that have: ${able.join(', ')}.`,
    )
  })
}

/**
 * Every connected data provider. Of several connections with one profile, the default one, since all would return the
 * same.
 */
export const connectedCandidates = (given: CandidateSource): Candidate[] => {
  const { registry, caller, kind } = given
  const chosen = new Map<string, ConnectionView>()
  for (const connection of unnamed(given).filter(isUsable)) {
    const key = `${connection.integration} ${connection.profile ?? ''}`
    const chosenConnection = chosen.get(key)
    if (!chosenConnection || (connection.isDefault && !chosenConnection.isDefault)) chosen.set(key, connection)
  }
  return [...chosen.values()].flatMap((connection) => {
    const loadedIntegration = registry.all.find(({ integration }) => integration.id === connection.integration)
    const loaded = loadedIntegration && chosenOf(loadedIntegration, connection)
    const candidate = loaded && candidateOf(loaded, kind, connection.id, connection.name)
    return candidate && mayUseStep(caller, candidate.loadedStep) ? [candidate] : []
  })
}

/** Why a provider was not asked, for the report. */
export const whyNoIdentifier = ({ loadedStep }: Candidate): string => {
  const rule = loadedStep.step.input.meta()?.['x-key-sets'] as KeySets | undefined
  const sets = rule?.sets.filter((set) => set.every((name) => takes(loadedStep, name) && isShared(name))) ?? []
  return `It takes none of the identifiers given. It takes: ${sets.map((set) => set.join(' + ')).join(', ')}.`
}
