import { didYouMean, fail, nearestName } from '#kit'
import type { Integration, WireProfile } from '#kit'
import { effectiveProfile, isTree } from './profile.ts'
import type { Tree } from './profile.ts'

/** A wire profile in force. `setting`: the prefix of its settings, as the operator writes them. */
export type ChosenProfile = { wire: WireProfile; setting: string }

/** Names of the profiles that can be chosen, the default profile first. */
export const profileNames = ({ wire, profiles }: Integration): string[] => [
  ...new Set([wire.profile, ...Object.keys(profiles ?? {})]),
]

const ready = (integration: Integration, name: string): WireProfile | undefined => {
  if (name === integration.wire.profile) return integration.wire
  return integration.profiles && Object.hasOwn(integration.profiles, name) ? integration.profiles[name]!() : undefined
}

/** The message for an unknown profile name; it lists the known ones. */
export const noSuchProfile = (integration: Integration, name: string): string => {
  const names = profileNames(integration)
  return `${integration.id} has no profile "${name.slice(0, 60)}".${didYouMean(name, names)} Its profiles: ${names.join(', ')}.`
}

/**
 * Operators may give a profile of their own any name, if it sets an address and its name does not resemble that of a
 * built-in profile. Otherwise a misspelt name would send one provider's key to the address of another profile.
 */
const isOwnName = (integration: Integration, name: string, override: Tree) =>
  integration.profiles === undefined ||
  ((typeof override['baseUrl'] === 'string' || typeof override['baseUrlPattern'] === 'string') &&
    nearestName(name, profileNames(integration)) === undefined)

/** Name of the built-in profile that an override extends; undefined: the default profile. */
const pickedBy = (integration: Integration, override: Tree): string | undefined => {
  const { profile } = override
  // Other types are refused later, when all settings are checked.
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

/** The named profile, with the operator's overrides for it applied. Undefined when no profile has that name. */
export const findProfile = (integration: Integration, override: Tree, name: string): ChosenProfile | undefined => {
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
 * The profile used when a connection chooses none: the operator's pick or the default, with the overrides applied.
 * @throws Failure `invalid_input` naming the wrong setting, also for errors in the overrides of other profiles
 */
export const operatorProfile = (integration: Integration, override: Tree | undefined): ChosenProfile => {
  const setting = `wire.${integration.id}`
  if (override === undefined) return { wire: integration.wire, setting }
  const { profiles: _, ...overrideSettings } = override
  for (const name of Object.keys(overridesByName(integration, override))) {
    if (!findProfile(integration, override, name))
      throw fail(
        'invalid_input',
        `The wire setting "${setting}.profiles.${name}" is not usable: ${noSuchProfile(integration, name)}`,
      )
  }
  const base = findProfile(integration, override, pickedBy(integration, override) ?? integration.wire.profile)!
  return {
    wire: effectiveProfile(
      integration.id,
      base.wire,
      Object.keys(overrideSettings).length === 0 ? undefined : overrideSettings,
    ),
    setting,
  }
}
