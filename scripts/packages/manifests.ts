/** The built manifests, the only input of the generators. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  ConnectionField,
  Layout,
  LayoutField,
  Manifest as ServedManifest,
  StepManifest,
  TriggerManifest,
} from '../../shared/api/manifest.ts'

export type Schema = { properties?: Record<string, Schema>; items?: Schema; required?: string[] } & Record<
  string,
  unknown
>

export type Field = LayoutField

export type { Layout }

/** What the generators read of a step. */
export type StepOf = Pick<
  StepManifest,
  | 'id'
  | 'title'
  | 'group'
  | 'purpose'
  | 'tool'
  | 'badges'
  | 'keywords'
  | 'effect'
  | 'cost'
  | 'price'
  | 'agentFields'
  | 'legacy'
  | 'deprecated'
  | 'container'
  | 'layout'
  | 'sample'
> &
  Partial<Pick<StepManifest, 'accountFields'>> & {
    connection: Pick<ConnectionField, 'required' | 'types'> | null
    form: Schema
    output: Schema
    examples: (StepManifest['examples'][number] & { input: Record<string, unknown> })[]
  }

/** What the generators read of a trigger. */
export type TriggerOf = Pick<
  TriggerManifest,
  'id' | 'title' | 'purpose' | 'keywords' | 'caveat' | 'deprecated' | 'container' | 'layout' | 'optionsLayout'
> & {
  config: Schema
  options: Schema
  data: Schema
  sample: unknown
  examples: { title: string; config: Record<string, unknown>; data: unknown }[]
}

export type Manifest = Pick<ServedManifest, 'id' | 'title' | 'summary' | 'keywords' | 'version' | 'icon' | 'groups'> & {
  steps: StepOf[]
  triggers: TriggerOf[]
  toolSets: Pick<ServedManifest['toolSets'][number], 'id' | 'title' | 'steps'>[]
}

export type PackIndex = {
  name: string
  version: string
  description: string
  license: string
  icon: { light: string; dark: string }
}

const folder = new URL('../../manifests/', import.meta.url)
const read = <T>(name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as T

/** `icon`: a path in the manifests' folder, such as "icons/toolyard.svg". */
export const readIcon = (icon: string) => readFileSync(new URL(icon, folder), 'utf8')

/** Ids become names of files and functions, so only plain ones are accepted. */
const plainId = /^[a-z][a-z0-9-]{0,63}$/

/**
 * Checks a manifest from a server, which may be any server. Icons come from the built manifest, because they are paths.
 * @throws Error when it is another integration's manifest, or contains ids that are not plain
 */
const checkOwn = (file: string, own: Manifest, built: Manifest): Manifest => {
  const refuse = (why: string) =>
    new Error(`--manifests: ${file} ${why}. Write it anew with GET /v1/integrations/${built.id} of your server.`)
  if (own.id !== built.id) throw refuse(`is not the manifest of ${built.id}`)
  const lists = [own.steps, own.triggers, own.toolSets] as unknown[]
  if (!lists.every(Array.isArray)) throw refuse('has no steps, triggers and tool sets')
  const wrong = [...own.steps, ...own.triggers, ...own.toolSets].find(
    ({ id }) => typeof id !== 'string' || !plainId.test(id),
  )
  if (wrong) throw refuse(`holds the id ${JSON.stringify(wrong.id)}, and ids have small letters, digits and "-" only`)
  return { ...own, version: built.version, icon: built.icon }
}

/**
 * Reads the manifests. `own`: a folder with manifests from a server (`GET /v1/integrations/{id}`), to which its
 * settings are applied; a missing one is replaced by the built one.
 */
export const readManifests = (own?: string): { pack: PackIndex; manifests: Manifest[] } => {
  const pack = read<PackIndex & { integrations: { manifest: string }[] }>('pack.json')
  const manifestIn = (name: string) => {
    const file = own === undefined ? undefined : join(own, name)
    const built = read<Manifest>(name)
    return file !== undefined && existsSync(file)
      ? checkOwn(file, JSON.parse(readFileSync(file, 'utf8')) as Manifest, built)
      : built
  }
  return { pack, manifests: pack.integrations.map(({ manifest }) => manifestIn(manifest)) }
}
