import { didYouMean, fail, nearestName } from '#kit'
import type { Integration, WireProfile } from '#kit'
import { effectiveProfile, isTree } from './profile.ts'
import type { Tree } from './profile.ts'

/** A wire profile in force. `setting`: what its settings begin with, as the operator writes them. */
export type ChosenProfile = { wire: WireProfile; setting: string }

/** The profiles that can be chosen by name, the default one first. */
export const profileNames = ({ wire, profiles }: Integration): string[] => [
  ...new Set([wire.profile, ...Object.keys(profiles ?? {})]),
]

const ready = (integration: Integration, name: string): WireProfile | undefined => {
  if (name === integration.wire.profile) return integration.wire
  return integration.profiles && Object.hasOwn(integration.profiles, name) ? integration.profiles[name]!() : undefined
}

/** Says of a name that no profile has which there are. */
export const noSuchProfile = (integration: Integration, name: string): string => {
  const names = profileNames(integration)
  return `${integration.id} has no profile "${name.slice(0, 60)}".${didYouMean(name, names)} Its profiles: ${names.join(', ')}.`
}

/**
 * An operator who writes a profile of their own may name it as they like. It has an address then, and no name that a
 * ready profile nearly has: otherwise a misspelt name would send a key of one provider to where another profile leads.
 */
const isOwnName = (integration: Integration, name: string, override: Tree) =>
  integration.profiles === undefined ||
  ((typeof override['baseUrl'] === 'string' || typeof override['baseUrlPattern'] === 'string') &&
    nearestName(name, profileNames(integration)) === undefined)

/** The name of the ready profile that an override is laid over; undefined: the default one. */
const pickedBy = (integration: Integration, override: Tree): string | undefined => {
  const { profile } = override
  // Anything else is refused where all settings are checked.
  if (typeof profile !== 'string') return undefined
  if (ready(integration, profile)) return profile
  if (isOwnName(integration, profile, override)) return undefined
  const own = 'A profile of your own may have a name of its own, with "baseUrl" beside it.'
  throw fail(
    'invalid_input',
    `The wire setting "wire.${integration.id}.profile" is not usable: ${noSuchProfile(integration, profile)} ${own}`,
  )
}

const overridesByName = (integration: Integration, override: Tree): Tree => {
  const { profiles = {} } = override
  if (isTree(profiles)) return profiles
  throw fail(
    'invalid_input',
    `The wire setting "wire.${integration.id}.profiles" is not usable: it holds overrides by profile name, like { "${profileNames(integration).at(-1)}": { … } }.`,
  )
}

/**
 * A profile that a connection chooses by its name, with what the operator lays over that one. Undefined: there is none
 * of that name.
 */
export const profileNamed = (integration: Integration, override: Tree, name: string): ChosenProfile | undefined => {
  const wire = ready(integration, name)
  if (!wire) return undefined
  const over = overridesByName(integration, override)[name]
  const where = `${integration.id}.profiles.${name}`
  if (over !== undefined && (!isTree(over) || 'profile' in over))
    throw fail(
      'invalid_input',
      `The wire setting "wire.${where}" is not usable: it is an object of settings without "profile".`,
    )
  return { wire: effectiveProfile(where, wire, over as Tree | undefined), setting: `wire.${where}` }
}

/**
 * The profile in force where a connection chooses none: the one that the operator picks, or the default, with the rest
 * of the override laid over it.
 * @throws Failure `invalid_input` naming the setting that is wrong, also in what is laid over other profiles
 */
export const operatorProfile = (integration: Integration, override: Tree | undefined): ChosenProfile => {
  const setting = `wire.${integration.id}`
  if (override === undefined) return { wire: integration.wire, setting }
  const { profiles: _, ...overrideSettings } = override
  for (const name of Object.keys(overridesByName(integration, override))) {
    if (!profileNamed(integration, override, name))
      throw fail(
        'invalid_input',
        `The wire setting "${setting}.profiles.${name}" is not usable: ${noSuchProfile(integration, name)}`,
      )
  }
  const base = profileNamed(integration, override, pickedBy(integration, override) ?? integration.wire.profile)!
  return {
    wire: effectiveProfile(
      integration.id,
      base.wire,
      Object.keys(overrideSettings).length === 0 ? undefined : overrideSettings,
    ),
    setting,
  }
}
