/** What lists can be made from, as the manifests say. */
import { manifests } from '../../api/index.ts'
import type { Manifest, StepManifest } from '../../api/index.ts'

export type ListStep = { id: string; label: string; manifest: Manifest; step: StepManifest }

/** The steps that are run for a list. */
export const listSteps = (): ListStep[] =>
  manifests.value.flatMap((manifest) =>
    manifest.steps
      .filter(({ listSource, ready }) => listSource && ready)
      .map((step) => ({ id: `${manifest.id}/${step.id}`, label: `${step.title}, ${manifest.title}`, manifest, step })),
  )

type Property = { type?: unknown; items?: { type?: unknown } }
const isListOfRecords = ({ type, items }: Property) => type === 'array' && items?.type === 'object'

/** Whether a step searches: it is one of a data provider, and its output has a list of records. */
export const isSearch = (integration: string, id: string): boolean => {
  const manifest = manifests.value.find((other) => other.id === integration)
  const step = manifest?.steps.find((other) => other.id === id)
  const properties = Object.values((step?.output['properties'] ?? {}) as Record<string, Property>)
  return (
    step?.effect === 'read' &&
    manifest!.steps.some(({ lookup }) => lookup !== null) &&
    properties.some((property) => isListOfRecords(property))
  )
}
