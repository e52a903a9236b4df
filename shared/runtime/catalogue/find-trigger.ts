import { failField } from '#kit'
import type { Trigger } from '#kit'
import type { LoadedIntegration, Registry } from './registry.ts'

export type LoadedTrigger = { loaded: LoadedIntegration; trigger: Trigger }

/** @throws Failure `not_found` naming the triggers that exist */
export const findTrigger = (registry: Registry, integration: string, id: string): LoadedTrigger => {
  const loaded = registry.integration(integration)
  const triggers = loaded.integration.triggers ?? []
  const trigger = triggers.find((candidate) => candidate.id === id)
  if (trigger) return { loaded, trigger }
  throw failField(
    'trigger',
    `"${integration}" has no trigger "${id}". It has: ${triggers.map((candidate) => candidate.id).join(', ') || 'none'}.`,
    'not_found',
  )
}
