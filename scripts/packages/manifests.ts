/** The built manifests, which are all that the generators know. Types of what they read; `manifests/manifest.schema.json` has the whole. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Control } from '../../shared/api/manifest.ts'

export type Field = {
  name: string
  title: string
  description: string
  control: Control
  required: boolean
  place: 'main' | 'more'
  default?: unknown
  choices?: string[]
  labels?: Record<string, string>
  row?: Layout
  dependsOn?: string[]
  accepts?: 'id-or-url'
  scope?: true
  showWhen?: { field: string; is?: (string | number | boolean)[] }
  placeholder?: string
  helpUrl?: string
  unit?: string
}
export type Layout = { fields: Field[]; oneOf: { exactlyOne: boolean; sets: { title: string; fields: string[] }[] } | null }
export type Schema = { properties?: Record<string, Schema>; items?: Schema; required?: string[] } & Record<string, unknown>

export type StepOf = {
  id: string
  title: string
  group: string
  purpose: string
  badges: string[]
  keywords: string[]
  /** null: it needs no account. */
  connection: { required: boolean; types: string[] } | null
  effect: 'read' | 'create' | 'update' | 'delete' | 'by-method'
  price: string | null
  legacy: { use: string } | null
  deprecated: { since: string; use: string } | null
  form: Schema
  output: Schema
  layout: Layout
  /** Fields that the account defines; their values go into `field` of the input. */
  accountFields?: { field: string; dependsOn: string[] } | null
  sample: unknown
  examples: { title: string; input: Record<string, unknown>; output?: unknown; failure?: unknown }[]
}
export type TriggerOf = {
  id: string
  title: string
  purpose: string
  keywords: string[]
  caveat: string | null
  deprecated: { since: string; use: string } | null
  config: Schema
  options: Schema
  data: Schema
  layout: Layout
  optionsLayout: Layout
  sample: unknown
  examples: { title: string; config: Record<string, unknown>; data: unknown }[]
}
export type Manifest = {
  id: string
  title: string
  summary: string
  version: string
  icon: { light: string; dark: string }
  groups: string[]
  steps: StepOf[]
  triggers: TriggerOf[]
  toolSets: { id: string; title: string; steps: string[] }[]
}
export type PackIndex = { name: string; version: string; description: string; license: string; icon: { light: string; dark: string } }

const folder = new URL('../../manifests/', import.meta.url)
const read = <T>(name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as T

/** `icon`: a path of the manifests, such as "icons/toolyard.svg". */
export const readIcon = (icon: string) => readFileSync(new URL(icon, folder), 'utf8')

/** Ids become names of files and functions. */
const plainId = /^[a-z][a-z0-9-]{0,63}$/

/** A manifest that a server gave, which may be any server. Its icons are ours: they are paths. @throws where it is another one, or holds no plain ids */
const checkOwn = (file: string, own: Manifest, built: Manifest): Manifest => {
  const refuse = (why: string) => new Error(`--manifests: ${file} ${why}. Write it anew with GET /v1/integrations/${built.id} of your server.`)
  if (own.id !== built.id) throw refuse(`is not the manifest of ${built.id}`)
  const lists = [own.steps, own.triggers, own.toolSets] as unknown[]
  if (!lists.every(Array.isArray)) throw refuse('has no steps, triggers and tool sets')
  const wrong = [...own.steps, ...own.triggers, ...own.toolSets].find(({ id }) => typeof id !== 'string' || !plainId.test(id))
  if (wrong) throw refuse(`holds the id ${JSON.stringify(wrong.id)}, and ids have small letters, digits and "-" only`)
  return { ...own, version: built.version, icon: built.icon }
}

/** `own`: folder of manifests that a server gave (`GET /v1/integrations/{id}`), with its settings applied; where one is missing, the built one is taken. */
export const readManifests = (own?: string): { pack: PackIndex; manifests: Manifest[] } => {
  const pack = read<PackIndex & { integrations: { manifest: string }[] }>('pack.json')
  const manifestIn = (name: string) => {
    const file = own === undefined ? undefined : join(own, name)
    const built = read<Manifest>(name)
    return file !== undefined && existsSync(file) ? checkOwn(file, JSON.parse(readFileSync(file, 'utf8')) as Manifest, built) : built
  }
  return { pack, manifests: pack.integrations.map(({ manifest }) => manifestIn(manifest)) }
}
