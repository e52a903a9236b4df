/** Chooses what a beginner is offered, from facts in the manifests and never by name. */
import type { Connection } from '../../../../api/resources/connection.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { usualOf } from '../../api/index.ts'
import type { Manifest, ServerAbout, StepManifest, TriggerManifest } from '../../api/index.ts'

export type Place = NonNullable<ServerAbout['sandbox']>['places'][number]

/** Integrations whose provider has a page on this machine come first: there, a beginner can cause events. */
const inOrder = (manifests: Manifest[], places: Place[]) => {
  const hasPage = ({ id }: Manifest) => places.some(({ integration, page }) => integration === id && page !== undefined)
  return [...manifests.filter(hasPage), ...manifests.filter((manifest) => !hasPage(manifest))]
}

export const isUsable = ({ state }: Connection) => state === 'connected' || state === 'unverified'
const connectionFor = (connections: Connection[], integration: string, types: string[]) =>
  usualOf(
    connections.filter(
      (connection) => isUsable(connection) && connection.integration === integration && types.includes(connection.type),
    ),
  )

/** Whether a step reads the account, costs nothing, and runs without input, as one of its examples shows. */
const isEasy = ({ effect, cost, ready, deprecated, legacy, examples }: StepManifest) =>
  effect === 'read' &&
  cost === null &&
  ready &&
  deprecated === null &&
  legacy === null &&
  examples.some(({ input, output }) => output !== undefined && Object.keys(input as object).length === 0)

export type Suggestion<T> = { manifest: Manifest; item: T; connection: Connection }

export const firstStep = (
  manifests: Manifest[],
  places: Place[],
  connections: Connection[],
): Suggestion<StepManifest> | undefined => {
  for (const manifest of inOrder(manifests, places))
    for (const item of manifest.steps.filter(isEasy)) {
      const connection = item.connection && connectionFor(connections, manifest.id, item.connection.types)
      if (connection) return { manifest, item, connection }
    }
  return undefined
}

/** The instant triggers, with a connection for each, of the first integration that has any. */
export const firstTriggers = (
  manifests: Manifest[],
  places: Place[],
  connections: Connection[],
): Suggestion<TriggerManifest>[] => {
  for (const manifest of inOrder(manifests, places)) {
    const usableTriggers = manifest.triggers.flatMap((item) => {
      const connection =
        item.deprecated === null && item.instant
          ? connectionFor(connections, manifest.id, item.connection.types)
          : undefined
      return connection ? [{ manifest, item, connection }] : []
    })
    if (usableTriggers.length > 0) return usableTriggers
  }
  return []
}

/** The page where the user can cause an event for one of the subscriptions, newest subscription first. */
export const placeOf = (subscriptions: Subscription[], places: Place[]) => {
  for (const subscription of subscriptions) {
    const place = places.find(({ integration, page }) => integration === subscription.integration && page !== undefined)
    if (place) return { subscription, place }
  }
  return undefined
}
