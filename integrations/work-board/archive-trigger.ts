import { defineTrigger, z } from '#kit'
import type { Trigger } from '#kit'
import { cardEventData, onCard } from './event-schemas.ts'
import { boardsConfig, isWatched, listsConfig, needsList, resolveWatched, watchBoards } from './event-filters.ts'
import type { BoardEvent, BoardFacts } from './event.ts'
import { boardsField, listsField } from './watch-fields.ts'

type ArchiveTrigger = Pick<Trigger, 'id' | 'title' | 'purpose' | 'keywords' | 'icon' | 'caveat'> & {
  isArchived: boolean
}

/** Defines a trigger that starts when a card is archived, or restored. */
export const archiveTrigger = ({ isArchived, ...texts }: ArchiveTrigger) =>
  defineTrigger({
    ...texts,
    oauthScopes: ['read', 'write'],
    config: () =>
      z.strictObject({
        boards: boardsConfig(),
        lists: listsConfig('Only cards in these lists, by id; none for every list.'),
      }),
    data: () => z.object(onCard()),
    fields: { boards: boardsField, lists: listsField },
    recoverable: 'all',
    resolve: resolveWatched,
    webhook: {
      watch: watchBoards,
      types: () => ['updateCard'],
      needs: needsList,
      match(event: BoardEvent, config, facts: BoardFacts) {
        const hasTurned = event.before?.closed === !isArchived && event.after?.closed === isArchived
        return event.type === 'updateCard' && hasTurned && isWatched(event, config, facts)
          ? cardEventData(event, facts)
          : undefined
      },
    },
  })
