import { flag, z } from '#kit'
import type { Trigger } from '#kit'
import { boardTrigger } from './board-trigger.ts'
import { aboutOf, cardEventData, name, onCard, thing } from './event-schemas.ts'
import { boardsConfig, listsConfig, needsList } from './event-filters.ts'
import type { BoardFacts } from './event.ts'
import { boardsField, listsField } from './watch-fields.ts'

type MemberTrigger<Own extends string> = Pick<Trigger, 'id' | 'title' | 'purpose' | 'keywords' | 'icon' | 'caveat'> & {
  eventType: 'addMemberToCard' | 'removeMemberFromCard'
  onlyMeMeaning: string
  memberMeaning: string
  /** Name of the output field that says whether the member made the change themselves. */
  ownDoing: Own
  ownDoingMeaning: string
}

/** Defines a trigger that starts when a member is added to a card, or removed from it. */
export const memberTrigger = <Own extends string>(trigger: MemberTrigger<Own>) => {
  const { eventType, onlyMeMeaning, memberMeaning, ownDoing, ownDoingMeaning, ...texts } = trigger
  return boardTrigger({
    ...texts,
    config: () =>
      z.strictObject({
        boards: boardsConfig(),
        lists: listsConfig('Only cards in these lists, by id; none for every list.'),
        onlyMe: flag('Only me', onlyMeMeaning).optional(),
      }),
    data: () =>
      z.object({
        ...onCard(),
        member: thing(memberMeaning, {
          name: name(),
          username: z.string().optional().meta({ description: 'User name, as in @mentions.' }),
        }),
        [ownDoing]: z.boolean().meta({ description: ownDoingMeaning }),
      }),
    fields: { boards: boardsField, lists: listsField },
    on: [eventType],
    needs: (event, config) => [...needsList(event, config), ...(config.onlyMe ? (['me'] as const) : [])],
    match(event, config, facts: BoardFacts) {
      const member = aboutOf(event, 'member')
      if (member === undefined) return undefined
      if (config.onlyMe && member.id !== facts.me) return undefined
      return { ...cardEventData(event, facts), member, [ownDoing]: member.id === event.actor?.id }
    },
  })
}
