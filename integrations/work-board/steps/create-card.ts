import { defineStep, failField, flag, given, keySets, moment, path, webAddress, z } from '#kit'
import * as specs from '../field-specs.ts'
import { boardRef, cardRef, coordinates, idsOf, listId, position, positionValue, text } from '../inputs.ts'
import { boardScope, cards, labels, lists, members } from '../options.ts'
import { card, cardFields } from '../records.ts'
import { checkScopes, resolveId } from '../refs.ts'

const copyable = [
  'all',
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
const onBoard = { boards: ['idBoard'] }

export default defineStep({
  id: 'create-card',
  title: 'Create Card',
  group: 'Cards',
  purpose: 'Creates a card in a list, new or as a copy of another card, and returns it.',
  keywords: ['task', 'ticket', 'to-do', 'add card', 'copy card'],
  icon: 'card-add',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    keySets(
      z.strictObject({
        idBoard: boardRef('Board of the list; only narrows the choice of lists, labels and members.').optional(),
        idList: listId('Id of the list; Get Boards with lists "open" returns it.'),
        name: text('Name', 'Name of the card.', 1).optional(),
        desc: text('Description', 'Description in Markdown.').optional(),
        pos: position('Place in the list; last by default.').optional(),
        due: moment('Due', 'When the card is due.').optional(),
        start: moment('Start', 'When work on the card starts.').optional(),
        dueComplete: flag('Due complete', 'Whether the due date counts as met.').optional(),
        idMembers: idsOf('member', 'Members', 'Ids of board members.').optional(),
        idLabels: idsOf('label', 'Labels', 'Ids of labels of that board.').optional(),
        urlSource: webAddress('Address to attach', 'Web address to attach to the card.').optional(),
        idCardSource: cardRef('Card to copy.', 'Copy from card').optional(),
        keepFromSource: z.array(z.enum(copyable)).max(copyable.length).optional().meta({
          title: 'Keep from source',
          description:
            'What to copy from idCardSource: "all" (the board\'s default) or some of its parts. Only with idCardSource.',
        }),
        address: text('Address', 'Postal address shown on the map.').optional(),
        locationName: text('Location name', 'Name of the place shown on the map.').optional(),
        coordinates: coordinates().optional(),
      }),
      [['name'], ['idCardSource'], ['urlSource']],
    ),
  output: card,
  agentFields: cardFields,
  fields: {
    idBoard: boardScope,
    idList: { options: lists(onBoard), dependsOn: ['idBoard'] },
    name: specs.name,
    desc: specs.description,
    pos: specs.position,
    due: specs.due,
    start: specs.start,
    dueComplete: { showWhen: { field: 'due' }, rare: true },
    idMembers: { options: members(onBoard), dependsOn: ['idBoard'] },
    idLabels: { options: labels(onBoard), dependsOn: ['idBoard'] },
    idCardSource: { options: cards('idBoard'), dependsOn: ['idBoard'], accepts: 'id-or-url' },
    urlSource: { placeholder: 'https://www.example.com/brief' },
    keepFromSource: { labels: specs.partsOfCard, showWhen: { field: 'idCardSource' }, rare: true },
    ...specs.place,
    locationName: { ...specs.place.locationName, showWhen: { field: 'coordinates' } },
  },
  async run(ctx, { idBoard, pos, idCardSource, keepFromSource, ...newCardFields }) {
    if (keepFromSource !== undefined && idCardSource === undefined) {
      throw failField(
        'keepFromSource',
        'keepFromSource says what to copy, but no idCardSource is given to copy from. Give idCardSource too, or leave keepFromSource out.',
      )
    }
    await checkScopes(ctx, { kind: 'list', ref: newCardFields.idList }, [
      { field: 'idBoard', names: 'board', ref: idBoard },
    ])
    const body = given({
      ...newCardFields,
      pos: positionValue(pos),
      idCardSource: idCardSource === undefined ? undefined : await resolveId(ctx, 'card', idCardSource),
      keepFromSource: keepFromSource?.join(','),
    })
    return await ctx.send({ method: 'POST', path: path`/1/cards`, body })
  },
})
