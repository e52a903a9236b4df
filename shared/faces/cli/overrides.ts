import { fail, failField, isFailure } from '#kit'
import type { Integration } from '#kit'
import { checkWire, overlay } from '../../pack.ts'
import { readWireFile } from '../../settings-files.ts'
import type { Configuration } from '../../settings.ts'

type Overrides = Record<string, Record<string, unknown>>

/** Merges wire overrides by integration; where both set a value, `over` wins. */
export const mergeOverrides = (under: Overrides, over: Overrides): Overrides => overlay(under, over) as Overrides

const sourceOf = ({ profilesFrom }: Configuration) => profilesFrom ?? 'TOOLYARD_PROFILES'

/**
 * The overrides that pick the profiles of TOOLYARD_PROFILES or --profile. Each must be a ready profile by itself,
 * whatever the wire file contains.
 */
const pickedProfiles = (configuration: Configuration, integrations?: Integration[]): Overrides => {
  const picked = Object.fromEntries(Object.entries(configuration.profiles).map(([id, profile]) => [id, { profile }]))
  try {
    checkWire(picked, integrations)
  } catch (thrown) {
    throw isFailure(thrown)
      ? fail(thrown.code, `${sourceOf(configuration)} is not usable. ${thrown.message}`, { cause: thrown })
      : thrown
  }
  return picked
}

/**
 * Applies the picked profiles on top of the overrides of a file.
 * @throws Failure `invalid_input` when both pick a profile for an integration and they differ
 */
export const withProfiles = (
  overrides: Overrides,
  configuration: Configuration,
  integrations?: Integration[],
): Overrides => {
  const picked = pickedProfiles(configuration, integrations)
  for (const [id, { profile }] of Object.entries(picked)) {
    const other = overrides[id]?.['profile']
    if (other !== undefined && other !== profile)
      throw failField(
        sourceOf(configuration),
        `${sourceOf(configuration)} picks "${String(profile)}" for ${id}, but the file with wire overrides "${String(other)}". Take one of them out.`,
      )
  }
  return mergeOverrides(overrides, picked)
}

/** Refuses a picked profile that the sandbox does not speak. `spoken`: the profiles it speaks, by integration id. */
export const requireSandboxProfiles = (
  configuration: Configuration,
  spoken: Record<string, readonly string[]>,
): void => {
  const spokenProfiles = Object.entries(spoken).map(([id, names]) => `${id}: ${names.join(', ')}`)
  for (const [id, name] of Object.entries(configuration.profiles)) {
    if (!spoken[id]?.includes(name))
      throw failField(
        sourceOf(configuration),
        `${sourceOf(configuration)} picks "${name}" for ${id}, which the sandbox does not speak. It speaks ${spokenProfiles.join('; ')}.`,
      )
  }
}

/** What the operator applies on top of the documented profiles: the wire file and the picked profiles. */
export const readOverrides = async (configuration: Configuration): Promise<Overrides> =>
  withProfiles(await readWireFile(configuration.wireFile), configuration)
