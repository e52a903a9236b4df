import type { Integration } from '#kit'
import { profileNames } from '../shared/runtime/catalogue/choose-profile.ts'
import { toolInput } from '../shared/runtime/catalogue/manifest.ts'
import { priceOf, statedPrice } from '../shared/runtime/catalogue/price.ts'
import { createRegistry } from '../shared/runtime/catalogue/registry.ts'
import type { LoadedIntegration, LoadedStep } from '../shared/runtime/catalogue/registry.ts'

/** Tables of docs/data-providers.md: the steps and fields that each ready profile of an integration offers. */
type Table = (head: string[], rows: string[][]) => string

/** Paging fields, which every search with pages has; left out of the table. */
const ofPages = new Set(['limit', 'cursor'])

const pathsOf = ({ loaded, step }: LoadedStep) =>
  (step.endpoints ?? []).map((name) => loaded.wire.endpoints?.[name]?.path ?? null)
const isOffered = (loadedStep: LoadedStep) => pathsOf(loadedStep).every((path) => path !== null)
/** Steps that take lists; their fields are those of the step for a single record. */
const isMany = ({ step }: LoadedStep) => step.id.startsWith('enrich-')

const priceText = (loadedStep: LoadedStep): string => {
  if (!isOffered(loadedStep)) return '–'
  const { step } = loadedStep
  const [endpoint = '', ...others] = step.endpoints ?? []
  const usual =
    typeof step.cost === 'object'
      ? `${step.cost.typical.join('–').replace(/^(\d+)–\1$/, '$1')} per ${step.cost.per}, estimated`
      : 'free'
  const price =
    others.length > 0 ? statedPrice(loadedStep) : priceOf(loadedStep.loaded, endpoint, undefined, isMany(loadedStep))
  return price?.text ?? usual
}

const loadedUnder = (integration: Integration): LoadedIntegration[] =>
  profileNames(integration).map((profile) =>
    createRegistry([integration], { [integration.id]: { profile } }).integration(integration.id),
  )

const stepsOf = (loaded: LoadedIntegration) =>
  [...loaded.steps.values()].filter(({ step }) => (step.endpoints?.length ?? 0) > 0)

/**
 * Steps and their prices, with a column for each profile. `–` means that the provider has no such endpoint; the step
 * then says so before anything is sent.
 */
export const profileSteps = (integration: Integration, table: Table): string => {
  const all = loadedUnder(integration)
  const rows = stepsOf(all[0]!).map(({ step }) => [
    step.title,
    ...all.map((loaded) => priceText(loaded.steps.get(step.id)!)),
  ])
  return table(['Step', ...all.map(({ wire }) => `\`${wire.profile}\``)], rows)
}

const fieldsUnder = (loadedStep: LoadedStep): string[] =>
  isOffered(loadedStep)
    ? Object.keys((toolInput(loadedStep) as { properties?: object }).properties ?? {}).filter(
        (name) => !ofPages.has(name),
      )
    : []

/** Fields of the searches and of the steps for a single record, and the profiles that offer each field. */
export const profileFieldTable = (integration: Integration, table: Table): string => {
  const all = loadedUnder(integration)
  const rows = stepsOf(all[0]!)
    .filter((loadedStep) => !isMany(loadedStep))
    .flatMap(({ step }) => {
      const offered = all.map((loaded) => new Set(fieldsUnder(loaded.steps.get(step.id)!)))
      const fields = [...new Set(offered.flatMap((names) => [...names]))]
      return fields.map((field, at) => [
        at === 0 ? step.title : '',
        `\`${field}\``,
        ...offered.map((names) => (names.has(field) ? 'yes' : '')),
      ])
    })
  return table(['Step', 'Field', ...all.map(({ wire }) => `\`${wire.profile}\``)], rows)
}

/** The assumptions of each ready profile; those of the default profile are in docs/configuration.md. */
export const profileAssumed = (integration: Integration, table: Table): string =>
  loadedUnder(integration)
    .filter(({ wire }) => wire.profile !== integration.wire.profile)
    .map(
      ({ wire }) =>
        `**${wire.profile}**\n\n${table(
          ['Setting', 'What is assumed and why'],
          Object.entries(wire.assumed).map(([what, why]) => [`\`${what}\``, why]),
        )}`,
    )
    .join('\n\n')
