import { failField, once } from '#kit'
import type { Json, PollFound } from '#kit'
import { createToolSearch, findableStep, findableTrigger } from './find-tools.ts'
import { noSuchProfile, profileNames } from './choose-profile.ts'
import { buildManifest, stepManifest } from './manifest.ts'
import type { ExampleFiles, Manifest, StepManifest } from './manifest.ts'
import type { Locales } from './locales.ts'
import { operationsOf } from './operations.ts'
import { isReady } from './offered-fields.ts'
import type { LoadedIntegration, LoadedStep, Registry } from './registry.ts'
import type { CatalogueEntry } from '../../api/resources/catalogue-entry.ts'
import type { Integration as IntegrationSummary } from '../../api/resources/integration.ts'

export type { IntegrationSummary }

type FoundStep = StepManifest & { integration: string }
/** The integrations, steps and triggers of a pack. */
export type Catalogue = {
  list(): IntegrationSummary[]
  /**
   * The manifest under the wire profile `profile` (default: the operator's), in the best available language for
   * `locale`, or in English.
   * @throws Failure `invalid_input` for an unknown profile, or a `locale` that is no language tag
   */
  manifest(id: string, profile?: string, locale?: string): Promise<Manifest>
  /** The language a manifest would be shown in, for a language tag or an Accept-Language header. */
  locale: Locales['choose']
  /** The steps, or those that a question in plain words means, the best first. */
  find(filter?: { query?: string | undefined; integration?: string | undefined }): Promise<FoundStep[]>
  /** Steps and triggers that a question in plain words means, the best first. */
  search(filter: { query: string; kind?: CatalogueEntry['kind'] | undefined }): CatalogueEntry[]
  /** A trigger's first example. */
  exampleOf(integration: string, trigger: string): Promise<TriggerExample | undefined>
}

/** The first example of a trigger that starts something: the data, and the delivery or the item it was made from. */
export type TriggerExample = { data: Json; delivery?: Json | undefined; found?: PollFound<Json> | undefined }

const exampleIn = (file: ExampleFiles[number] | undefined): TriggerExample | undefined => {
  for (const { data, delivery, found: [found] = [] } of file && 'trigger' in file ? file.cases : []) {
    if (data !== null && data !== undefined) return { data, delivery }
    if (found) return { data: found.data, found }
  }
  return undefined
}

const maxEntries = 50

const stepsOf = ({ steps }: LoadedIntegration) => [...steps.values()]

/** Searches over everything that is installed, so that the weight of a word does not depend on the caller. */
const createSearches = (registry: Registry) => ({
  steps: once(() => createToolSearch(registry.all.flatMap(stepsOf), findableStep)),
  entries: once(() => {
    const entries = registry.all.flatMap((loaded) => {
      const { integration } = loaded
      return [
        ...stepsOf(loaded).map((loadedStep) => ({
          entry: { kind: 'step', integration: integration.id, id: loadedStep.step.id, title: loadedStep.step.title },
          about: findableStep(loadedStep),
        })),
        ...(integration.triggers ?? []).map((trigger) => ({
          entry: { kind: 'trigger', integration: integration.id, id: trigger.id, title: trigger.title },
          about: findableTrigger(trigger, integration),
        })),
      ] as { entry: CatalogueEntry; about: ReturnType<typeof findableStep> }[]
    })
    return createToolSearch(entries, ({ about }) => about)
  }),
})

/** `readExamples`: examples of an integration, by its id; empty when it has no built manifest. */
export const createCatalogue = (
  registry: Registry,
  readExamples: (id: string) => Promise<ExampleFiles>,
  locales: Locales,
): Catalogue => {
  const exampleFiles = new Map<string, Promise<ExampleFiles>>()
  const readOnce = (id: string) => {
    let examples = exampleFiles.get(id)
    if (examples === undefined) {
      examples = readExamples(id)
      exampleFiles.set(id, examples)
      // After a failure, the next call reads again.
      examples.catch(() => exampleFiles.delete(id))
    }
    return examples
  }
  /** Copies of the examples, or of those that `isWanted`: a host may change what it gets. */
  const examplesOf = async (id: string, isWanted: (file: ExampleFiles[number]) => boolean = () => true) =>
    structuredClone((await readOnce(id)).filter(isWanted))
  const searches = createSearches(registry)
  const manifestOf = async (loadedStep: LoadedStep): Promise<FoundStep> => {
    const { id } = loadedStep.loaded.integration
    const ofStep = await examplesOf(id, (file) => 'step' in file && file.step === loadedStep.step.id)
    return { integration: id, ...stepManifest(loadedStep, ofStep) }
  }
  return {
    list: () =>
      registry.all.map((loaded) => {
        const { integration, steps } = loaded
        return {
          id: integration.id,
          title: integration.title,
          summary: integration.summary,
          version: integration.version,
          maturity: integration.maturity,
          ready: isReady(loaded),
          steps: steps.size,
          triggers: integration.triggers?.length ?? 0,
        }
      }),
    locale: locales.choose,
    async manifest(id, profile, locale) {
      const ofOperator = registry.integration(id)
      if (profile !== undefined && !profileNames(ofOperator.integration).includes(profile))
        throw failField('profile', noSuchProfile(ofOperator.integration, profile))
      const loaded = ofOperator.withProfile(profile)
      const [examples, operations] = await Promise.all([examplesOf(id), operationsOf(loaded)])
      const manifest = buildManifest(loaded, examples, operations)
      return locale === undefined ? manifest : locales.translate(manifest, await locales.choose({ locale }))
    },
    async find({ query, integration } = {}) {
      const from = integration === undefined ? registry.all : [registry.integration(integration)]
      const steps = query?.trim()
        ? searches.steps().findBest(query, ({ loaded }) => from.includes(loaded))
        : from.flatMap(stepsOf)
      return Promise.all(steps.map(manifestOf))
    },
    search: ({ query, kind }) =>
      searches
        .entries()
        .findBest(query, ({ entry }) => kind === undefined || entry.kind === kind)
        .slice(0, maxEntries)
        .map(({ entry }) => entry),
    exampleOf: async (integration, id) =>
      exampleIn((await examplesOf(integration, (file) => 'trigger' in file && file.trigger === id))[0]),
  }
}
