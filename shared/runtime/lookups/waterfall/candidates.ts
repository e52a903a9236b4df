import { fail, failField, isFailure, linkedinPersonSlug, linkedinPersonUrl, normaliseDomain } from '#kit'
import type { KeySets, Normalised } from '#kit'
import { offerOf } from '../../catalogue/offered-fields.ts'
import { parseInput } from '../../catalogue/parse.ts'
import { stepCost } from '../../catalogue/price.ts'
import { mayUseStep } from '../../bounds.ts'
import type { Loaded, LoadedStep, Registry } from '../../catalogue/registry.ts'
import type { ConnectionView } from '../../connections/connections.ts'
import type { Caller } from '../../ports/index.ts'
import { listOf } from './wanted.ts'
import type { Kind } from './wanted.ts'

export type Identifiers = { [field: string]: string }
export type AskedProvider = { integration: string; connection?: string | undefined }

/**
 * A provider of the chain. `connection`: undefined where the caller names none and there is none; the run then says
 * what is missing.
 */
export type Candidate = {
  integration: string
  title: string
  connection: string | undefined
  name: string | undefined
  loadedStep: LoadedStep
}

export const lookupStep = (loaded: Loaded, kind: Kind): LoadedStep | undefined =>
  [...loaded.steps.values()].find(({ step }) => step.lookup === kind)

/** Ids are those of one provider, and what is revealed follows from what is wanted. */
const isShared = (name: string) => !name.endsWith('Id') && name !== 'reveal'

/** Names of identifiers: the fields of the steps that look one up. */
export const identifierNames = (registry: Pick<Registry, 'all'>, kind: Kind): string[] => [
  ...new Set(
    registry.all.flatMap((loaded) => Object.keys(lookupStep(loaded, kind)?.step.input.shape ?? {})).filter(isShared),
  ),
]

const valueOf = (read: Normalised): string | undefined => (read.ok ? read.value : undefined)

/** Another form of an identifier that was given, for providers that take only that. */
const forms: { [field: string]: { from: string; as(value: string): string | undefined } } = {
  linkedinUrl: { from: 'linkedinSlug', as: (slug) => valueOf(linkedinPersonUrl(slug)) },
  linkedinSlug: { from: 'linkedinUrl', as: (url) => valueOf(linkedinPersonSlug(url)) },
  domain: { from: 'website', as: (website) => valueOf(normaliseDomain(website)) },
}

const takes = (loadedStep: LoadedStep, name: string) =>
  name in loadedStep.step.input.shape && !offerOf(loadedStep).hidden.has(name)

/**
 * What to pay for: of a provider that charges by kind of value, only what is still wanted; where that is neither kind,
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

/** The identifiers that a provider takes, and what it is asked for; undefined where they are not enough for it. */
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

/** A malformed identifier is the caller's to mend, before anything is sent. */
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
  loaded: Loaded,
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
 * As the connection has it chosen; undefined where there is no profile of that name any more, as a run of it will say.
 */
const chosenOf = (loaded: Loaded, { profile }: ConnectionView): Loaded | undefined => {
  try {
    return loaded.withProfile(profile)
  } catch (thrown) {
    if (isFailure(thrown)) return undefined
    throw thrown
  }
}

type Given = { registry: Registry; caller: Caller; kind: Kind; connections: ConnectionView[] }

/** Those that the caller names, in the order given. */
export const namedCandidates = ({ registry, kind, connections }: Given, providers: AskedProvider[]): Candidate[] =>
  providers.map(({ integration, connection }, index) => {
    const own = connections.filter((row) => row.integration === integration)
    const hit =
      connection === undefined
        ? own.length === 1
          ? own[0]
          : own.find(({ isDefault }) => isDefault)
        : (own.find(({ id }) => id === connection) ?? own.find(({ name }) => name === connection))
    const loaded = registry.integration(integration)
    const candidate = candidateOf((hit && chosenOf(loaded, hit)) ?? loaded, kind, hit?.id ?? connection, hit?.name)
    if (candidate) return candidate
    const able = registry.all.filter((entry) => lookupStep(entry, kind)).map((entry) => entry.integration.id)
    throw failField(
      `/providers/${index}/integration`,
      `"${integration}" has no step that looks up a ${kind}. Integrations that have: ${able.join(', ')}.`,
    )
  })

/**
 * Every data provider that is connected; of several accounts with one profile the default, since all of them would give
 * the same.
 */
export const connectedCandidates = ({ registry, caller, kind, connections }: Given): Candidate[] => {
  const chosen = new Map<string, ConnectionView>()
  for (const connection of connections.filter(isUsable)) {
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

/** Why a provider is not asked, for the report. */
export const whyNoIdentifier = ({ loadedStep }: Candidate): string => {
  const rule = loadedStep.step.input.meta()?.['x-key-sets'] as KeySets | undefined
  const sets = rule?.sets.filter((set) => set.every((name) => takes(loadedStep, name) && isShared(name))) ?? []
  return `It takes none of the identifiers given. It takes: ${sets.map((set) => set.join(' + ')).join(', ')}.`
}
