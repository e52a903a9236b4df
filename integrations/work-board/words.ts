import type { Words } from '#kit'
import type { BoardEvent } from './event.ts'
import { actionTypes, describeUnknown } from './event-kinds.ts'
import { namesInEvent, namesInRun } from './names.ts'
import { describePlan } from './plans.ts'
import { polledEvents, starts } from './polled-events.ts'
import { describeRun } from './run-sentences.ts'
import { describeWait } from './waits.ts'

/** What the board says in words. */
export const words: Words = {
  describe(event, names) {
    const { type } = event
    if (Object.hasOwn(polledEvents, type)) return polledEvents[type]!(event.raw, names)
    const context = { event: event as BoardEvent, names }
    return Object.hasOwn(actionTypes, type) ? actionTypes[type]!.sentence(context) : describeUnknown(context)
  },
  describeStart: starts,
  waitsFor: describeWait,
  describeRun,
  describePlan,
  namesIn: namesInEvent,
  namesInRun,
}
