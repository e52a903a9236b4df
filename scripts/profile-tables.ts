import type { Integration } from '#kit'
import { profileNames } from '../shared/runtime/catalogue/choose-profile.ts'
import { toolInput } from '../shared/runtime/catalogue/manifest.ts'
import { priceOf, statedPrice } from '../shared/runtime/catalogue/price.ts'
import { createRegistry } from '../shared/runtime/catalogue/registry.ts'
import type { LoadedIntegration, LoadedStep } from '../shared/runtime/catalogue/registry.ts'

/** Tables of docs/profile-list.md: the steps and fields that each ready profile of an integration offers. */
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

/** Values that no document shows, grouped by the part of the profile that they are in. */
const unsetTable = ({ unset }: LoadedIntegration, table: Table): string => {
  const namesByPart = Map.groupBy(unset, (setting) => setting.slice(0, setting.lastIndexOf('.')))
  const rows = [...namesByPart].map(([part, settings]) => [
    `\`${part}\``,
    settings.map((setting) => `\`${setting.slice(part.length + 1)}\``).join(', '),
  ])
  return table(['Part of the profile', 'Not shown by the documents: set those that you need'], rows)
}

/** Settings beside their reasons; neighbours with the same reason share a row. */
const assumptionRows = (assumed: Readonly<Record<string, string>>): string[][] => {
  const rows: string[][] = []
  for (const [setting, why] of Object.entries(assumed)) {
    const last = rows.at(-1)
    if (last?.[1] === why) last[0] += `, \`${setting}\``
    else rows.push([`\`${setting}\``, why])
  }
  return rows
}

/** The assumptions of every ready profile of an integration, and what its default profile leaves unset. */
export const profileAssumed = (integration: Integration, table: Table): string => {
  const sections = loadedUnder(integration).map((loaded) => {
    const { profile, assumed } = loaded.wire
    const guesses = table(['Setting', 'What is assumed and why'], assumptionRows(assumed))
    const isDefault = profile === integration.wire.profile
    const unset = isDefault && loaded.unset.length > 0 ? `\n\n${unsetTable(loaded, table)}` : ''
    return `### ${profile}${isDefault ? ' (the default)' : ''}\n\n${guesses}${unset}`
  })
  return `## ${integration.title} (\`${integration.id}\`)\n\n${sections.join('\n\n')}`
}
