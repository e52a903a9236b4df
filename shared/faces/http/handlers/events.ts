import { omitUndefined, readLabels } from '../filter.ts'
import type { eventOperations } from '../../../api/operations/events.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'
import { createStream } from './stream.ts'

export const eventHandlers = (parts: HttpDependencies): Handlers<typeof eventOperations> => ({
  listHooks: async ({ caller, query: { limit, cursor, label, ...query } }) =>
    parts.pack.hooks.list(caller, { limit, cursor }, omitUndefined({ ...query, labels: readLabels(label) })),
  pruneHooks: async ({ caller }) => parts.pack.hooks.prune(caller),
  listGaps: async ({ caller, query: { limit, cursor, label, ...query } }) =>
    parts.pack.gaps.list(caller, { limit, cursor }, omitUndefined({ ...query, labels: readLabels(label) })),
  previewDelivery: async ({ caller, body }) => parts.pack.deliveries.preview(caller, body),
  listEvents: async ({ caller, query: { limit, cursor, externalId, label, ...query } }) =>
    parts.pack.events.withStarts(
      caller,
      await parts.pack.events.list(
        caller,
        { limit, cursor },
        omitUndefined(query),
        omitUndefined({ externalId, labels: readLabels(label) }),
      ),
    ),
  listUndecodable: async ({ caller, query }) => parts.pack.events.undecodable(caller, query),
  getEvent: async ({ caller, params, query }) => parts.pack.events.get(caller, params.id, query.connection),
  replayEvent: async ({ caller, params, query }) => parts.pack.events.replay(caller, params.id, query.connection),
  listStarts: async ({ caller, query: { limit, cursor, label, ...query } }) =>
    parts.pack.starts.list(caller, { limit, cursor }, omitUndefined({ ...query, labels: readLabels(label) })),
  getStart: async ({ caller, params }) => parts.pack.starts.get(caller, params.id),
  replayStart: async ({ caller, params, body }) => parts.pack.starts.replay(caller, params.id, { force: body?.force }),
  replayStarts: async ({ caller, body }) => parts.pack.starts.replayAll(caller, body),
  stream: createStream(parts),
})
