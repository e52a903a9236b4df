import type { BoardSandbox } from './board/index.ts'

/** What to try first in a sandbox. */
export type SandboxExamples = {
  /** A step without input, as "integration/step". */
  step: string
  /** A trigger, and the request that makes it fire as a person would: what our own steps do starts no agent. Both can be repeated. */
  trigger?: { purpose: string; subscribe: string; request: { url: string; body: object } }
}

export const examplesOf = (board: BoardSandbox): SandboxExamples => {
  const step = 'work-board/get-boards'
  const found = board.control.overview().find(({ lists }) => lists.some(({ cards }) => cards.length > 0))
  const card = found?.lists.flatMap(({ cards }) => cards)[0]
  if (!found || !card) return { step }
  return {
    step,
    trigger: {
      purpose: 'Attach a trigger and watch it fire; the second line, in another terminal, comments on a card as a person would:',
      subscribe: `work-board new-comment-added-to-card -f boards=${found.id}`,
      request: {
        url: `${board.origin}/_control/comment`,
        body: { idCard: card.id, by: board.credentials.secondMember.username, text: 'Looks good to me' },
      },
    },
  }
}
