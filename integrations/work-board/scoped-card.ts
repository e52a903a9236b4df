import { boardRef, cardRef, listId } from './inputs.ts'
import { boardScope, cardChoice, listScope } from './options.ts'
import { checkScopes } from './refs.ts'
import type { StepContext } from '#kit'

/**
 * Inputs of the steps that work on one card: the card, and the board and list through which a person finds it in a
 * form.
 */
export const cardInput = () => ({
  idBoard: boardRef('Board the card is on; only narrows the choice of lists and cards.').optional(),
  idList: listId(
    'Id of the list the card is in; only narrows the choice of cards.',
    'List',
    'Narrows the choice of cards.',
  ).optional(),
  idCard: cardRef('The card.'),
})

export const cardFields = { idBoard: boardScope, idList: listScope('idBoard'), idCard: cardChoice('idBoard', 'idList') }

type ScopedCard = { idCard: string; idBoard?: string | undefined; idList?: string | undefined }

/** Refuses a board or list that the card is not on. Returns the card's 24-character id if it had to be read. */
export const checkCard = (ctx: StepContext, { idCard, idBoard, idList }: ScopedCard) =>
  checkScopes(ctx, { kind: 'card', ref: idCard }, [
    { field: 'idBoard', names: 'board', ref: idBoard },
    { field: 'idList', names: 'list', ref: idList },
  ])
