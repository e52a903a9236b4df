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

/** @throws ApiError */
export const loadServer = async () => {
  const [info, { items }] = await Promise.all([
    get<ServerAbout>('server'),
    get<{ items: { id: string }[] }>('integrations'),
  ])
  manifests.value = await Promise.all(items.map(({ id }) => get<Manifest>(`integrations/${encodeURIComponent(id)}`)))
  server.value = info
}

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
/** The integrations as the options of a select. */
export const integrationChoices = () => manifests.value.map(({ id, title }): [string, string] => [id, title])
