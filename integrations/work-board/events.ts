import { defineEvents } from '#kit'
import type { EventKind } from '#kit'
import type { BoardEvent } from './event.ts'
import { actionTypes, describeUnknown } from './event-kinds.ts'
import type { ActionType } from './event-kinds.ts'
import { webhooks } from './webhooks.ts'

const kindFrom = ({ sentence, listed }: ActionType): EventKind<BoardEvent> => ({
  sentence: (event, names) => sentence({ event, names }),
  ...(listed ? {} : { history: null }),
})

/** Everything that the board reports; types that it adds later are passed on. */
export const events = defineEvents<BoardEvent>({
  kinds: Object.fromEntries(Object.entries(actionTypes).map(([type, action]) => [type, kindFrom(action)])),
  otherKind: { sentence: (event, names) => describeUnknown({ event, names }) },
  webhooks,
})
