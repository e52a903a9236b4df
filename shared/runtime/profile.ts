import { fail } from '#kit'
import type { WireProfile } from '#kit'
import { profileParts } from './profile-parts.ts'

type Tree = { [name: string]: unknown }
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Lays `over` on `under`: objects merge, everything else (lists too) replaces. Neither is changed. */
export const overlay = (under: Tree, over: Tree): Tree => {
  const merged: Tree = { ...under }
  for (const [name, value] of Object.entries(over)) {
    if (name === '__proto__') continue
    const below = under[name]
    merged[name] = isTree(value) && isTree(below) ? overlay(below, value) : value
  }
  return merged
}

const unusable = (integration: string, where: string, why: string) =>
  fail('invalid_input', `The wire setting "wire.${integration}.${where}" is not usable: ${why}.`)

/** Throws `invalid_input` naming the setting that is wrong. */
export const checkProfile = (integration: string, profile: Tree, names: string[] = Object.keys({ ...profileParts, ...profile })) => {
  for (const name of names) {
    if (!Object.hasOwn(profileParts, name)) throw unusable(integration, name, `there is no such setting; there are ${Object.keys(profileParts).join(', ')}`)
    // Parsed once in a process: compiling a parser for it would cost more than it saves.
    const parsed = profileParts[name as keyof WireProfile]().safeParse(profile[name], { jitless: true })
    const issue = parsed.error?.issues[0]
    if (issue) throw unusable(integration, [name, ...issue.path].join('.'), issue.message)
  }
}

/**
 * The profile in force: the documented one with the operator's JSON laid over it. Only what an override touches is checked: the rest is code.
 * A path that an override sets stops being assumed. Throws `invalid_input` naming the setting that is wrong.
 */
export const effectiveProfile = (integration: string, documented: WireProfile, override: Tree | undefined): WireProfile => {
  if (override === undefined) return documented
  const merged = overlay(documented, override)
  checkProfile(integration, merged, Object.keys(override))
  const assumed = { ...(merged.assumed as Record<string, string>) }
  for (const what of Object.keys(assumed)) if (reaches(override, what.split('.'))) delete assumed[what]
  return { ...(merged as unknown as WireProfile), assumed }
}

const reaches = (tree: Tree, [head, ...rest]: string[]): boolean => {
  if (head === undefined) return true
  const below = tree[head]
  if (below === undefined) return false
  return rest.length === 0 || !isTree(below) ? true : reaches(below, rest)
}

/** Settings that are null and so make something `ready: false`; dotted, as the operator writes them. */
export const unsetSettings = (integration: string, profile: WireProfile): string[] => {
  const unset: string[] = []
  const at = (...parts: string[]) => ['wire', integration, ...parts].join('.')
  if (profile.baseUrl === null) unset.push(at('baseUrl'))
  for (const [type, placement] of Object.entries(profile.auth)) if (placement === null) unset.push(at('auth', type))
  for (const [name, part] of Object.entries(profile.endpoints ?? {})) {
    if (part.path === null) unset.push(at('endpoints', name, 'path'))
    for (const [field, wire] of Object.entries(part.fields)) {
      const specs = Array.isArray(wire) ? wire : [wire]
      if (specs.some((spec) => spec === null || (typeof spec === 'object' && spec.name === null))) unset.push(at('endpoints', name, 'fields', field))
    }
    if (part.bulk?.path === null) unset.push(at('endpoints', name, 'bulk', 'path'))
    else if (part.bulk?.max === null) unset.push(at('endpoints', name, 'bulk', 'max'))
  }
  return unset
}
