import { defineTrigger, flag, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { aboutOf, name, onCard, thing, cardEventData } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, isWatched, listsConfig, needsList, resolveWatched, watchBoards } from '../event-filters.ts'

export default defineTrigger({
  id: 'new-member-on-card',
  title: 'New Member on Card',
  purpose: 'Starts when a member is added to a card of a watched board.',
  keywords: ['assigned', 'assignee', 'joined'],
  icon: 'person-add',
  oauthScopes: ['read', 'write'],
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
      onlyMe: flag('Only me', 'Whether to start only when the added member is the connected account itself.').optional(),
    }),
  data: () =>
    z.object({
      ...onCard(),
      member: thing('The member added.', { name: name(), username: z.string().optional().meta({ description: 'User name, as in @mentions.' }) }),
      joined: z.boolean().meta({ description: 'Whether the member added themselves.' }),
    }),
  fields: { boards: boardsField, lists: listsField },
  recoverable: 'all',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => ['addMemberToCard'],
    needs: (event: BoardEvent, config) => [...needsList(event, config), ...(config.onlyMe ? (['me'] as const) : [])],
    match(event: BoardEvent, config, facts: BoardFacts) {
      const member = aboutOf(event, 'member')
      if (event.type !== 'addMemberToCard' || member === undefined || !isWatched(event, config, facts)) return undefined
      if (config.onlyMe && member.id !== facts.me) return undefined
      return { ...cardEventData(event, facts), member, joined: member.id === event.actor?.id }
    },
  },
})
