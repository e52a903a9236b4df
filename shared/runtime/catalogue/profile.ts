import { distance, fail } from '#kit'
import type { WireProfile, z } from '#kit'
import { profileSettings } from '../../kit/profile.ts'
import { checkFixedHeaders } from '../../wire/exchange/authorize.ts'
import { loweredEffect } from './lowered-effect.ts'
import { wrongReference } from './profile-references.ts'

export type Tree = { [name: string]: unknown }
export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Applies `over` to `under`: objects are combined, everything else (lists too) is replaced. Changes neither. */
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

const noSuchSetting = (name: string, settingNames: string[]) => {
  const nearest = settingNames.toSorted((a, b) => distance(name, a) - distance(name, b))
  const [first] = nearest
  const meant =
    first !== undefined && (name.startsWith(first) || distance(name, first) <= Math.max(2, name.length / 2))
      ? ` Did you mean "${first}"?`
      : ''
  return `there is no such setting.${meant} Known here: ${nearest.join(', ')}`
}

type SchemaNode = {
  shape?: Record<string, SchemaNode>
  unwrap?(): SchemaNode
  element?: SchemaNode
  valueType?: SchemaNode
  options?: SchemaNode[]
}

/** Names that an object at this path of a schema may have. */
const knownAt = (schema: SchemaNode | undefined, path: PropertyKey[]): string[] => {
  if (schema === undefined) return []
  if (schema.options) return schema.options.flatMap((option) => knownAt(option, path))
  if (schema.element) return knownAt(schema.element, path.slice(1))
  if (schema.valueType) return knownAt(schema.valueType, path.slice(1))
  if (!schema.shape) return schema.unwrap ? knownAt(schema.unwrap(), path) : []
  const [head, ...innerPath] = path
  return head === undefined ? Object.keys(schema.shape) : knownAt(schema.shape[String(head)], innerPath)
}

const sayIssue = (integration: string, schema: unknown, name: string, issue: z.core.$ZodIssue) => {
  const where = [name, ...issue.path].join('.')
  if (issue.code !== 'unrecognized_keys') return unusable(integration, where, issue.message)
  const [key = ''] = issue.keys
  return unusable(integration, `${where}.${key}`, noSuchSetting(key, knownAt(schema as SchemaNode, issue.path)))
}

/** @throws Failure `invalid_input` naming the wrong setting */
export const checkProfile = (
  integration: string,
  profile: Tree,
  names: string[] = Object.keys({ ...profileSettings, ...profile }),
) => {
  for (const name of names) {
    if (!Object.hasOwn(profileSettings, name))
      throw unusable(integration, name, `${noSuchSetting(name, Object.keys(profileSettings))}`)
    // `jitless`, because each schema parses once per process: compiling would cost more than it saves.
    const parsed = profileSettings[name as keyof WireProfile]().safeParse(profile[name], { jitless: true })
    const issues = parsed.error?.issues
    // Misspelt names are reported first, because each also causes a "missing" error.
    const issue = issues?.find(({ code }) => code === 'unrecognized_keys') ?? issues?.[0]
    if (issue) throw sayIssue(integration, profileSettings[name as keyof WireProfile](), name, issue)
  }
  const { optOuts, signature } = profile as unknown as WireProfile
  if (optOuts !== undefined && (signature?.proof ?? 'signature') !== 'signature')
    throw unusable(integration, 'optOuts', 'requests about people who opted out are verified by a signature alone')
  if (profile['headers'] !== undefined) checkFixedHeaders(integration, profile as unknown as WireProfile)
  if (!names.some((name) => name === 'endpoints' || name === 'test' || name === 'records')) return
  const wrong = wrongReference(profile as unknown as WireProfile)
  if (wrong) throw unusable(integration, wrong.where, wrong.why)
}

/**
 * The profile in force: the built-in one with the operator's JSON applied. Checks only what the override touches, since
 * the rest is code. Paths set by an override no longer count as assumed.
 * @throws Failure `invalid_input` naming the wrong setting
 */
export const effectiveProfile = (
  integration: string,
  documented: WireProfile,
  override: Tree | undefined,
): WireProfile => {
  if (override === undefined) return documented
  const merged = overlay(documented, override)
  checkProfile(integration, merged, Object.keys(override))
  const lowered =
    'endpoints' in override || 'operations' in override
      ? loweredEffect(documented, merged as unknown as WireProfile)
      : undefined
  if (lowered) throw unusable(integration, lowered.where, lowered.why)
  const assumed = { ...(merged.assumed as Record<string, string>) }
  for (const what of Object.keys(assumed)) if (reaches(override, what.split('.'))) delete assumed[what]
  return { ...(merged as unknown as WireProfile), assumed }
}

const reaches = (tree: Tree, [head, ...innerPath]: string[]): boolean => {
  if (head === undefined) return true
  const below = tree[head]
  if (below === undefined) return false
  return innerPath.length === 0 || !isTree(below) ? true : reaches(below, innerPath)
}

/** Settings that are null and so make something `ready: false`, as dotted paths that begin with `setting`. */
export const unsetSettings = (setting: string, profile: WireProfile): string[] => {
  const unset: string[] = []
  const at = (...parts: string[]) => [setting, ...parts].join('.')
  if (profile.baseUrl === null && profile.baseUrlPattern === undefined) unset.push(at('baseUrl'))
  if (profile.baseUrlPattern === null) unset.push(at('baseUrlPattern'))
  for (const [type, placement] of Object.entries(profile.auth)) if (placement === null) unset.push(at('auth', type))
  for (const [name, part] of Object.entries(profile.endpoints ?? {})) {
    if (part.path === null) unset.push(at('endpoints', name, 'path'))
    for (const [field, wire] of Object.entries(part.fields)) {
      const specs = Array.isArray(wire) ? wire : [wire]
      if (specs.some((spec) => spec === null || (typeof spec === 'object' && spec.name === null && !spec.flags)))
        unset.push(at('endpoints', name, 'fields', field))
    }
    if (part.bulk?.path === null) unset.push(at('endpoints', name, 'bulk', 'path'))
    else if (part.bulk?.max === null) unset.push(at('endpoints', name, 'bulk', 'max'))
  }
  return unset
}
