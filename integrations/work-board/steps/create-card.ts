import {
  defineStep,
  failField,
  filePart,
  fileRef,
  flag,
  given,
  keySets,
  moment,
  path,
  readRow,
  webAddress,
  z,
} from '#kit'
import type { FileRef, Json } from '#kit'
import { withProblems, writeParts } from '../card-parts.ts'
import { customFieldValues, customFieldsOf } from '../custom-fields.ts'
import * as specs from '../field-specs.ts'
import { boardRef, cardRef, coordinates, idsOf, listId, position, positionValue, reminder, text } from '../inputs.ts'
import { boardScope, cards, labels, lists, members } from '../options.ts'
import { writtenCard, writtenCardFields } from '../records.ts'
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
/** A card with its file in one request; the board takes lists in a form as texts with commas. */
const withFile = (body: { [name: string]: Json }, file: FileRef) => ({
  bodyAs: 'multipart' as const,
  body: {
    ...Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
    ),
    fileSource: filePart(file),
  },
})

const onBoard = { boards: ['idBoard'] }
const ofList = { boards: ['idBoard'], list: 'idList' }

export default defineStep({
  id: 'create-card',
  title: 'Create Card',
  version: '1.1',
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
        idList: listId('Id of the list; Get Boards with lists "open" returns it.', 'List', 'The list of the cards.'),
        name: text('Name', 'Name of the card.', 1).optional(),
        desc: text('Description', 'Description in Markdown.').optional(),
        pos: position('Place in the list; last by default.').optional(),
        due: moment('Due', 'When the card is due.').optional(),
        start: moment('Start', 'When work on the card starts.').optional(),
        dueComplete: flag('Due complete', 'Whether the due date counts as met.').optional(),
        dueReminder: reminder('Minutes before the due time at which the board reminds.').optional(),
        idMembers: idsOf('member', 'Members', 'Ids of board members.', 'Members of the board.').optional(),
        idLabels: idsOf('label', 'Labels', 'Ids of labels of that board.', 'Labels of the board.').optional(),
        urlSource: webAddress('Address to attach', 'Web address to attach to the card.').optional(),
        customFields: customFieldValues(),
        file: fileRef('File', 'A file to attach.').optional(),
        idCardSource: cardRef('Card to copy.', 'Copy from card').optional(),
        keepFromSource: z.array(z.enum(copyable)).max(copyable.length).optional().meta({
          title: 'Keep from source',
          description: 'Which parts of that card to copy.',
          agentDescription:
            'What to copy from idCardSource: "all" (the board\'s default) or some of its parts. Only with idCardSource.',
        }),
        address: text('Address', 'Postal address shown on the map.').optional(),
        locationName: text('Location name', 'Name of the place shown on the map.').optional(),
        coordinates: coordinates().optional(),
      }),
      [['name'], ['idCardSource'], ['urlSource']],
    ),
  output: writtenCard,
  agentFields: writtenCardFields,
  fields: {
    idBoard: boardScope,
    idList: { options: lists(onBoard), names: 'list' },
    name: specs.name,
    desc: specs.description,
    pos: specs.position,
    due: specs.due,
    start: specs.start,
    dueComplete: { showWhen: { field: 'due' }, rare: true },
    dueReminder: specs.dueReminder,
    idMembers: { options: members(ofList), names: 'member', dependsOn: ['idBoard'] },
    idLabels: { options: labels(ofList), names: 'label', dependsOn: ['idBoard'] },
    customFields: specs.customFields,
    file: { rare: true },
    idCardSource: { options: cards('idBoard'), names: 'card', dependsOn: ['idBoard'], accepts: 'id-or-url' },
    urlSource: { placeholder: 'https://www.example.com/brief' },
    keepFromSource: { labels: specs.partsOfCard, showWhen: { field: 'idCardSource' }, rare: true },
    ...specs.place,
    locationName: { ...specs.place.locationName, showWhen: { field: 'coordinates' } },
  },
  accountFields: customFieldsOf('idList', { boards: ['idBoard'], list: 'idList' }),
  async run(ctx, input, customFields) {
    const { idBoard, idList, pos, idCardSource, keepFromSource, file } = input
    if (keepFromSource !== undefined && idCardSource === undefined) {
      throw failField(
        'keepFromSource',
        'keepFromSource says what to copy, but no idCardSource is given to copy from. Give idCardSource too, or leave keepFromSource out.',
      )
    }
    await checkScopes(ctx, { kind: 'list', ref: idList }, [{ field: 'idBoard', names: 'board', ref: idBoard }])
    // A copy of all fields of which some are taken out again: leaving them out while copying takes four times as long.
    const body = given({
      ...input,
      idBoard: undefined,
      customFields: undefined,
      file: undefined,
      pos: positionValue(pos),
      idCardSource: idCardSource === undefined ? undefined : await resolveId(ctx, 'card', idCardSource),
      keepFromSource: keepFromSource?.join(','),
    })
    const made = await ctx.send({
      method: 'POST',
      path: path`/1/cards`,
      ...(file === undefined ? { body } : withFile(body, file)),
      ...(customFields.length === 0 ? {} : { followed: true }),
    })
    if (customFields.length === 0) return made
    return withProblems(made, await writeParts(ctx, readRow(made, 'a card').id, { customFields }, true))
  },
})
