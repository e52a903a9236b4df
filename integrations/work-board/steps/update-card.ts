import { defineStep, fail, failField, fileRef, flag, given, moment, path, z } from '#kit'
import { withProblems, writeParts } from '../card-parts.ts'
import { customFieldValues, customFieldsOf } from '../custom-fields.ts'
import * as specs from '../field-specs.ts'
import {
  boardRef,
  cardRef,
  coordinates,
  idOf,
  idsOf,
  listId,
  position,
  positionValue,
  reminder,
  text,
} from '../inputs.ts'
import { boards, boardScope, cardChoice, imagesOfCard, labels, listScope, lists, members } from '../options.ts'
import { writtenCard, writtenCardFields } from '../records.ts'
import { checkScopes, resolveId } from '../refs.ts'

const clearable = ['due', 'start', 'dueReminder', 'idAttachmentCover'] as const
/** The board that the card will be on: the one it moves to, otherwise the one it is on. */
const target = { boards: ['idBoard', 'fromBoard'], card: 'idCard' }

export default defineStep({
  id: 'update-card',
  title: 'Update Card',
  version: '1.1',
  group: 'Cards',
  purpose:
    'Edits fields of a card, such as its name, description, dates, labels or members, and leaves the others; also moves it (idList), clears its dates, or restores it from the archive (closed: false).',
  keywords: [
    'change',
    'edit',
    'move card',
    'rename',
    'due date',
    'restore',
    'restore archived card',
    'unarchive',
    'assign',
    'set due date',
    'deadline',
    'postpone',
    'reschedule',
  ],
  icon: 'card-edit',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      fromBoard: boardRef('Board the card is on now; only narrows the choice of cards.', 'On board').optional(),
      fromList: listId(
        'Id of the list the card is in now; only narrows the choice of cards.',
        'In list',
        'Narrows the choice of cards.',
      ).optional(),
      idCard: cardRef('The card to change.'),
      name: text('Name', 'New name.', 1).optional(),
      desc: text('Description', 'New description in Markdown.')
        .meta({ agentDescription: 'New description in Markdown; "" empties it.' })
        .optional(),
      closed: flag('Archived', 'Whether the card is archived; “No” restores it.')
        .meta({ agentDescription: 'Whether the card is archived; false restores it.' })
        .optional(),
      idList: listId('Id of the list to move the card to.', 'Move to list', 'Where the card goes.').optional(),
      idBoard: boardRef('Board to move the card to; give idList of that board too.', 'Move to board')
        .meta({ description: 'Board to move the card to; choose a list of it too.' })
        .optional(),
      pos: position('Place in the list.').optional(),
      due: moment('Due', 'New due time; to remove it, use clear.')
        .meta({ description: 'New due time; to remove it, choose it under “Clear”.' })
        .optional(),
      start: moment('Start', 'New start time; to remove it, use clear.')
        .meta({ description: 'New start time; to remove it, choose it under “Clear”.' })
        .optional(),
      dueComplete: flag('Due complete', 'Whether the due date is met.').optional(),
      dueReminder: reminder('Minutes before the due time at which the board reminds.').optional(),
      clear: z.array(z.enum(clearable)).max(clearable.length).optional().meta({
        title: 'Clear',
        description: 'Properties to empty.',
        agentDescription: 'Properties to empty; idAttachmentCover is the cover image.',
      }),
      idLabels: idsOf(
        'label',
        'Labels',
        'Ids of ALL labels of the card; they replace its current labels. Add Label to Card (work_board_add_label_to_card) adds one.',
        'All labels of the card: they replace its current ones.',
      ).optional(),
      idMembers: idsOf(
        'member',
        'Members',
        'Ids of ALL members of the card; they replace its current members. Add Member to Card (work_board_add_member_to_card) adds one.',
        'All members of the card: they replace its current ones.',
      ).optional(),
      idAttachmentCover: idOf(
        'attachment',
        'Cover image',
        'Id of an image attached to the card that becomes its cover.',
        'An image attached to the card that becomes its cover.',
      ).optional(),
      customFields: customFieldValues(),
      file: fileRef('File', 'A file to attach.').optional(),
      subscribed: flag('Watched', 'Whether the connected account watches the card.').optional(),
      address: text('Address', 'Postal address shown on the map.').optional(),
      locationName: text('Location name', 'Name of the place shown on the map.').optional(),
      coordinates: coordinates().optional(),
    }),
  output: writtenCard,
  agentFields: writtenCardFields,
  fields: {
    fromBoard: boardScope,
    fromList: listScope('fromBoard'),
    idCard: cardChoice('fromBoard', 'fromList'),
    name: specs.name,
    desc: specs.description,
    pos: specs.position,
    due: specs.due,
    start: specs.start,
    dueReminder: { unit: 'minutes', rare: true },
    clear: {
      labels: { due: 'Due date', start: 'Start date', dueReminder: 'Reminder', idAttachmentCover: 'Cover image' },
    },
    ...specs.place,
    idList: { options: lists(target), names: 'list', dependsOn: ['idCard'] },
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    idLabels: { options: labels(target), names: 'label', dependsOn: ['idCard'] },
    idMembers: { options: members(target), names: 'member', dependsOn: ['idCard'] },
    idAttachmentCover: { options: imagesOfCard('idCard'), names: 'attachment', dependsOn: ['idCard'], rare: true },
    customFields: specs.customFields,
    file: { rare: true },
    subscribed: { rare: true },
  },
  accountFields: customFieldsOf('idCard', { boards: ['idBoard', 'fromBoard'], card: 'idCard' }),
  async run(ctx, { customFields: _, file, ...cardInput }, customFields) {
    const { fromBoard, fromList, idCard, idBoard, pos, clear = [], ...changedFields } = cardInput
    const both = clear.find((name) => changedFields[name] !== undefined)
    if (both) throw failField(both, `${both} is given and also named in clear. Give one of the two.`)
    const changes = given({
      ...changedFields,
      pos: positionValue(pos),
      ...Object.fromEntries(clear.map((name) => [name, null])),
    })
    const parts = { customFields, file }
    const hasParts = customFields.length > 0 || file !== undefined
    const hasChanges = Object.keys(changes).length > 0 || idBoard !== undefined
    if (!hasChanges && !hasParts) {
      throw fail(
        'invalid_input',
        'No change is given. Give at least one property of the card to change, such as name, due or closed.',
      )
    }
    await checkScopes(ctx, { kind: 'card', ref: idCard }, [
      { field: 'fromBoard', names: 'board', ref: fromBoard },
      { field: 'fromList', names: 'list', ref: fromList },
    ])
    const body = idBoard === undefined ? changes : { ...changes, idBoard: await resolveId(ctx, 'board', idBoard) }
    const at = path`/1/cards/${idCard}`
    // A card that only gets parts is read before them: once they are written, the run must not fail.
    const card = hasChanges
      ? await ctx.send({ method: 'PUT', path: at, body, ...(hasParts ? { followed: true } : {}) })
      : await ctx.send({ method: 'GET', path: at })
    return withProblems(card, await writeParts(ctx, idCard, parts, hasChanges))
  },
})
