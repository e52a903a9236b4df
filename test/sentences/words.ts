/** The board with a few words of its own, so that these suites do not depend on what the shipped one says. */
import { namePart, quotePart, say } from '#kit'
import type { Event, Integration, NamedRef, Words } from '#kit'
import board from '../../integrations/work-board/manifest.ts'

const actorOf = ({ actor }: Event) =>
  actor && { kind: 'person', id: actor.id, ...(actor.name === undefined ? {} : { name: actor.name }) }

/** The words say what an event names itself; a card named "unknown" is not named. */
export const words: Words = {
  describe(event, names) {
    if (event.type === 'breaks') throw new Error('A defect in the words.')
    const card = event.subject?.name === 'unknown' ? { kind: 'card', id: event.subject.id } : event.subject
    return say`${namePart('who', actorOf(event), 'somebody', names)} touched ${namePart('what', card, 'a card', names)}`
  },
  waitsFor: (trigger, { boards = [] }, names) =>
    trigger === 'new-card'
      ? say`a new card on ${namePart('where', { kind: 'board', id: String((boards as string[])[0]) }, 'a board', names)}`
      : undefined,
  describeRun(step, input, output, names) {
    if (step !== 'create-card') return undefined
    const { id, name } = output as { id: string; name: string }
    const card = namePart(
      'what',
      { kind: 'card', id, name, url: `https://board.example/${id}/call-bob` },
      'a card',
      names,
    )
    const list = namePart('where', { kind: 'list', id: String(input['idList']) }, 'a list', names)
    return say`Created ${card} in ${list}: ${quotePart(String(input['desc'] ?? ''))}, 3 bob@example.com`
  },
  namesIn: ({ subject, container, actor }) =>
    [subject, container, actor && { ...actor, kind: 'person' }].filter(
      (ref): ref is NamedRef => ref?.name !== undefined && ref.name !== 'unknown',
    ),
}

export const boardWithWords: Integration = { ...board, words }
