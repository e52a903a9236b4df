import type { BoardSandbox } from './board/index.ts'
import { createDataSet } from './people/data-set.ts'

/** Suggestions of what to try first in a sandbox. */
export type SandboxExamples = {
  /** A step that needs no input, as "integration/step". */
  step: string
  /** Lookups at the data providers for which a wire profile was chosen. */
  lookups: { profile: string; step: string; input: Record<string, unknown> }[]
  /**
   * A trigger, and the request that makes it fire as a person would, because our own steps start no agents. Both can be
   * repeated.
   */
  trigger?: { purpose: string; subscribe: string; request: { url: string; body: object } }
}

const personSteps: Record<string, string> = { 'anz-data': 'people-enrichment', 'contact-data': 'find-contact' }

/** Lookups of a person whom every provider knows, by an identifier that every profile accepts. */
const lookupsAt = (places: { integration: string; profile?: string }[]): SandboxExamples['lookups'] => {
  const email = createDataSet().people.find(
    ({ workEmail, suppressed, knownTo }) => workEmail !== undefined && !suppressed && knownTo.length > 1,
  )?.workEmail
  return places.flatMap(({ integration, profile }) =>
    profile === undefined || email === undefined
      ? []
      : [{ profile, step: `${integration}/${personSteps[integration]}`, input: { email } }],
  )
}

export const examplesOf = (
  board: BoardSandbox,
  places: { integration: string; profile?: string }[],
): SandboxExamples => {
  const step = 'work-board/get-boards'
  const lookups = lookupsAt(places)
  const sampleBoard = board.control.overview().find(({ lists }) => lists.some(({ cards }) => cards.length > 0))
  const card = sampleBoard?.lists.flatMap(({ cards }) => cards)[0]
  if (!sampleBoard || !card) return { step, lookups }
  return {
    step,
    lookups,
    trigger: {
      purpose:
        'Attach a trigger and watch it fire; the second line, in another terminal, comments on a card as a person would:',
      subscribe: `work-board new-comment-added-to-card -f boards=${sampleBoard.id}`,
      request: {
        url: `${board.origin}/_control/comment`,
        body: { idCard: card.id, by: board.credentials.secondMember.username, text: 'Looks good to me' },
      },
    },
  }
}
