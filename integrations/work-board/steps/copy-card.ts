import { defineStep, given, path, z } from '#kit'
import * as specs from '../field-specs.ts'
import { boardRef, cardRef, listId, position, positionValue, text } from '../inputs.ts'
import { boards, boardScope, cardChoice, listScope, lists } from '../options.ts'
import { card, cardFields } from '../records.ts'
import { checkScopes, resolveId } from '../refs.ts'

const parts = [
  'attachments',
  'checklists',
  'comments',
  'customFields',
  'due',
  'start',
  'labels',
  'members',
  'stickers',
] as const

export default defineStep({
  id: 'copy-card',
  title: 'Copy Card',
  group: 'Cards',
  purpose: 'Copies a card to a list and returns the copy.',
  keywords: ['duplicate', 'clone', 'template'],
  icon: 'card-add',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    z.strictObject({
      fromBoard: boardRef('Board of the card; only narrows the choice of cards.', 'On board').optional(),
      fromList: listId(
        'Id of the list of the card; only narrows the choice of cards.',
        'In list',
        'Narrows the choice of cards.',
      ).optional(),
      idCard: cardRef('The card to copy.'),
      idBoard: boardRef('Board of the list for the copy; only narrows the choice of lists.', 'To board').optional(),
      idList: listId('Id of the list for the copy.', 'To list', 'Where the copy goes.'),
      name: text('Name', 'Name of the copy; that of the card by default.', 1).optional(),
      keep: z
        .array(z.enum(parts))
        .min(1)
        .max(parts.length)
        .optional()
        .meta({ title: 'Keep', description: 'Which parts to copy; all by default.' }),
      pos: position('Place in the list; last by default.').optional(),
    }),
  output: card,
  agentFields: cardFields,
  fields: {
    fromBoard: boardScope,
    fromList: listScope('fromBoard'),
    idCard: cardChoice('fromBoard', 'fromList'),
    idBoard: { ...boardScope, options: boards, names: 'board' },
    idList: {
      options: lists({ boards: ['idBoard', 'fromBoard'], card: 'idCard' }),
      names: 'list',
      dependsOn: ['idCard'],
    },
    name: specs.name,
    keep: { labels: specs.partsOfCard },
    pos: specs.position,
  },
  async run(ctx, { fromBoard, fromList, idCard, idBoard, idList, name, keep, pos }) {
    const cardId = await checkScopes(ctx, { kind: 'card', ref: idCard }, [
      { field: 'fromBoard', names: 'board', ref: fromBoard },
      { field: 'fromList', names: 'list', ref: fromList },
    ])
    await checkScopes(ctx, { kind: 'list', ref: idList }, [{ field: 'idBoard', names: 'board', ref: idBoard }])
    const source = cardId ?? (await resolveId(ctx, 'card', idCard))
    const body = given({
      idList,
      idCardSource: source,
      name,
      keepFromSource: keep?.join(',') ?? 'all',
      pos: positionValue(pos),
    })
    return await ctx.send({ method: 'POST', path: path`/1/cards`, body })
  },
})
