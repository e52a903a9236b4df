import { defineEventTrigger } from '#kit'
import type { EventTriggerDefinition, z } from '#kit'
import type { BoardEvent } from './event.ts'
import { isWatched, needsList, resolveWatched } from './event-filters.ts'
import { events } from './events.ts'

type Definition<C extends z.ZodObject, D extends z.ZodType> = EventTriggerDefinition<BoardEvent, C, D>

/** Defines a trigger on what happens on the boards of its config, and there on its lists and cards, if it names any. */
export const boardTrigger = <C extends z.ZodObject, D extends z.ZodType>(
  trigger: Omit<Definition<C, D>, 'within' | 'filter'>,
) => {
  const watching = {
    oauthScopes: ['read', 'write'],
    within: { kind: 'board', field: 'boards', orDefault: true },
    resolve: resolveWatched,
    needs: needsList,
    filter: isWatched,
  }
  return defineEventTrigger(events, { ...watching, ...trigger } as unknown as Definition<C, D>)
}
