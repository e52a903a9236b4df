import { failField } from '#kit'
import type { Json } from '#kit'
import { noSuchProfile, profileNames } from './choose-profile.ts'
import { buildManifest, stepManifest } from './manifest.ts'
import type { ExampleFiles, Manifest, StepManifest } from './manifest.ts'
import { createLocales } from './locales.ts'
import type { LocaleFiles, Locales } from './locales.ts'
import { operationsOf } from './operations.ts'
import { isReady } from './offered-fields.ts'
import type { Registry } from './registry.ts'
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
  find(filter?: { query?: string | undefined; integration?: string | undefined }): Promise<FoundStep[]>
  /** The data of a trigger's first example. */
  exampleOf(integration: string, trigger: string): Promise<Json | undefined>
}

const exampleData = (file: ExampleFiles[number] | undefined): Json | undefined =>
  (file && 'trigger' in file ? file.cases : [])
    .map(({ data }) => data)
    .find((data) => data !== null && data !== undefined)

/**
 * Whether every word of the query occurs in the texts or keywords of the step, or in the keywords of its integration.
 */
const matches = (query: string, step: FoundStep, keywords: string[]) => {
  const own = [step.integration, step.title, step.group, step.purpose, step.id, ...step.keywords]
  const text = [...own, ...keywords].join(' ').toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** `readExamples`: examples of an integration, by its id; empty when it has no built manifest. */
export const createCatalogue = (
  registry: Registry,
  readExamples: (id: string) => Promise<ExampleFiles>,
  files: LocaleFiles,
): Catalogue => {
  const locales = createLocales(files)
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
      const [examples, operations] = await Promise.all([readExamples(id), operationsOf(loaded)])
      const manifest = buildManifest(loaded, examples, operations)
      return locale === undefined ? manifest : locales.translate(manifest, await locales.choose({ locale }))
    },
    async find({ query, integration } = {}) {
      const from = integration === undefined ? registry.all : [registry.integration(integration)]
      const all = await Promise.all(
        from.map(async (loaded) => {
          const examples = await readExamples(loaded.integration.id)
          return [...loaded.steps.values()].map((loadedStep) => ({
            integration: loaded.integration.id,
            ...stepManifest(loadedStep, examples),
          }))
        }),
      )
      const flat = all.flat()
      return query
        ? flat.filter((step) => matches(query, step, registry.integration(step.integration).integration.keywords ?? []))
        : flat
    },
    exampleOf: async (integration, id) =>
      exampleData((await readExamples(integration)).find((file) => 'trigger' in file && file.trigger === id)),
  }
}
