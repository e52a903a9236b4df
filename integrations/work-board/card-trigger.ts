import { flag } from '#kit'
import type { EventTriggerDefinition, z } from '#kit'
import { boardTrigger } from './board-trigger.ts'
import { cardCustomFields } from './card-custom-fields.ts'
import type { BoardEvent, BoardFacts, Need } from './event.ts'
import { isWatched, needsList } from './event-filters.ts'

type Definition<C extends z.ZodObject, D extends z.ZodObject> = Omit<
  EventTriggerDefinition<BoardEvent, C, D>,
  'within' | 'filter' | 'config' | 'data' | 'needs'
> & { config(): C; data(): D; needs?(event: BoardEvent, config: z.output<C>): Need[] }

type CardConfig = Parameters<typeof isWatched>[1] & { customFields?: boolean }

/**
 * Defines a board trigger whose subscriptions may include the custom fields of the card in each start. They are read
 * only for those subscriptions, and only for events that can start them.
 */
export const cardTrigger = <C extends z.ZodObject, D extends z.ZodObject>(trigger: Definition<C, D>) => {
  const ownNeeds = trigger.needs ?? needsList
  const mayStart = (event: BoardEvent, config: CardConfig) =>
    event.card !== undefined &&
    (needsList(event, config).length > 0 || isWatched(event, config, {})) &&
    trigger.match(event, config as never, {}) !== undefined
  return boardTrigger({
    ...trigger,
    version: '1.1',
    config: () =>
      trigger.config().extend({
        customFields: flag(
          'Custom fields',
          'Whether each start includes the custom fields of the card, with their values. Takes two requests for each start.',
        ).optional(),
      }),
    data: () =>
      trigger.data().extend({
        customFields: cardCustomFields().optional().meta({
          description:
            'If the subscription includes them: the custom fields of the board, with the current values of the card.',
        }),
      }),
    fields: { ...trigger.fields, customFields: { rare: true } },
    needs(event: BoardEvent, config: CardConfig) {
      const needs = ownNeeds(event, config as never)
      return config.customFields && mayStart(event, config) ? [...needs, 'customFields' as const] : needs
    },
    match(event: BoardEvent, config: CardConfig, facts: BoardFacts) {
      const data = trigger.match(event, config as never, facts)
      return data === undefined || facts.customFields === undefined
        ? data
        : { ...data, customFields: facts.customFields }
    },
  } as unknown as Parameters<typeof boardTrigger>[0])
}
