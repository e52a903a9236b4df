import { defineTrigger, flag, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { aboutOf, name, onCard, thing, cardEventData } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, isWatched, listsConfig, needsList, resolveWatched, watchBoards } from '../event-filters.ts'

export default defineTrigger({
  id: 'member-removed-from-card',
  title: 'Member Removed from Card',
  purpose: 'Starts when a member is taken off a card of a watched board.',
  keywords: ['unassigned', 'assignee', 'left'],
  icon: 'person-add',
  oauthScopes: ['read', 'write'],
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
      onlyMe: flag('Only me', 'Whether to start only when the removed member is the connected account itself.').optional(),
    }),
  data: () =>
    z.object({
      ...onCard(),
      member: thing('The member taken off.', { name: name(), username: z.string().optional().meta({ description: 'User name, as in @mentions.' }) }),
      left: z.boolean().meta({ description: 'Whether the member left by themselves.' }),
    }),
  fields: { boards: boardsField, lists: listsField },
  recoverable: 'all',
  caveat: 'A member who is removed from the board leaves its cards without an event for each.',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => ['removeMemberFromCard'],
    needs: (event: BoardEvent, config) => [...needsList(event, config), ...(config.onlyMe ? (['me'] as const) : [])],
    match(event: BoardEvent, config, facts: BoardFacts) {
      const member = aboutOf(event, 'member')
      if (event.type !== 'removeMemberFromCard' || member === undefined || !isWatched(event, config, facts)) return undefined
      if (config.onlyMe && member.id !== facts.me) return undefined
      return { ...cardEventData(event, facts), member, left: member.id === event.actor?.id }
    },
  },
})
