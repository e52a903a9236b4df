/** Facts about the server and its manifests, read once per session. */
import { signal } from '@preact/signals'
import type { Manifest, StepManifest, TriggerManifest } from '../../../api/manifest.ts'
import type { ServerAbout } from '../../../api/resources/server.ts'
import { get } from './client.ts'

export type { Manifest, StepManifest, TriggerManifest }

export type { ServerAbout }

export const server = signal<ServerAbout | undefined>(undefined)
/** The manifest of every installed integration, in the server's order. */
export const manifests = signal<Manifest[]>([])

const fetchServer = async () => {
  const [info, { items }] = await Promise.all([
    get<ServerAbout>('server'),
    get<{ items: { id: string }[] }>('integrations'),
  ])
  manifests.value = await Promise.all(items.map(({ id }) => get<Manifest>(`integrations/${encodeURIComponent(id)}`)))
  server.value = info
}

let load: Promise<void> | undefined

/** Loads the server and its manifests once. After a failure, the next call tries again. @throws ApiError */
export const loadServer = () =>
  (load ??= fetchServer().catch((thrown: unknown) => {
    load = undefined
    throw thrown
  }))

export const manifestOf = (integration: string) => manifests.value.find(({ id }) => id === integration)
export const stepOf = (integration: string, step: string) =>
  manifestOf(integration)?.steps.find(({ id }) => id === step)
export const triggerOf = (integration: string, trigger: string) =>
  manifestOf(integration)?.triggers.find(({ id }) => id === trigger)

export const integrationTitle = (id: string) => manifestOf(id)?.title ?? id
export const stepTitle = (integration: string, step: string) =>
  stepOf(integration, step)?.title ?? (step === 'wire-check' ? 'Wire check' : step)
export const triggerTitle = ({ integration, trigger }: { integration: string; trigger: string }) =>
  triggerOf(integration, trigger)?.title ?? trigger
/** Each step as an option, by integration/step. */
export const stepChoices = () =>
  manifests.value.flatMap(({ id, title, steps }) =>
    steps.map((step) => ({ value: `${id}/${step.id}`, label: `${step.title} (${title})` })),
  )
/** The name of a step that is named as integration/step. */
export const stepNameOf = (name: string) => {
  const [integration = '', step = ''] = name.split('/')
  return `${stepTitle(integration, step)} (${integrationTitle(integration)})`
}
/** Each tool set once, by the id that integrations share. */
export const toolSetChoices = () =>
  [...new Map(manifests.value.flatMap(({ toolSets }) => toolSets.map(({ id, title }) => [id, title] as const)))].map(
    ([value, label]) => ({ value, label }),
  )
export const toolSetTitle = (id: string) => toolSetChoices().find(({ value }) => value === id)?.label ?? id
/** The integrations as the options of a select. */
export const integrationChoices = () => manifests.value.map(({ id, title }): [string, string] => [id, title])
