import {
  defineStep,
  endsChanges,
  fail,
  fileRef,
  given,
  isFailure,
  isOutcomeUnknown,
  isUnreadable,
  keySets,
  path,
  readRow,
  textOf,
  z,
} from '#kit'
import type { Failure, StepContext } from '#kit'
import { mostCards, newCard, readCards } from '../card-rows.ts'
import * as specs from '../field-specs.ts'
import { boardRef, idsOf, listId } from '../inputs.ts'
import { boardScope, labels, lists, members } from '../options.ts'
import { checkScopes } from '../refs.ts'

const onBoard = { boards: ['idBoard'] }
const ofList = { boards: ['idBoard'], list: 'idList' }

const stateOf = z.enum(['created', 'failed', 'unknown'])
type Result = { row: number; state: z.output<typeof stateOf>; id?: string; url?: string; reason?: string }

const output = () => {
  const result = z.object({
    row: z.int().meta({ description: 'The number of the row, from 1.' }),
    state: stateOf.meta({
      description: 'created; failed: there is no card; unknown: look at the list before you create it again.',
    }),
    id: z.string().optional().meta({ description: 'Id of the new card.' }),
    url: z.string().optional().meta({ description: 'Page address of the new card.' }),
    reason: z.string().optional().meta({ description: 'Why it failed or is unknown.' }),
  })
  return z.object({
    total: z.int().meta({ description: 'How many cards were asked for.' }),
    created: z.int().meta({ description: 'How many were created.' }),
    problems: z.array(result).meta({ description: 'The rows that failed or are unknown; run these rows alone again.' }),
    results: z.array(result).meta({ description: 'The result of every row, in the order given.' }),
    unusedColumns: z
      .array(z.string())
      .optional()
      .meta({ description: 'Columns of the file that were not read, if there are any.' }),
  })
}

const resultOf = (row: number, made: unknown): Result => {
  const card = readRow(made, 'a card')
  return { row, state: 'created', id: card.id, url: textOf(card, 'url') }
}

/**
 * Creates the cards one after another, so that they are in the order of the rows. After a failure that every card would
 * share, the rest is not tried. A run that made a card does not fail: it would be repeated, and the card made again. A
 * run that fails names a row: the first whose card may exist, which ends the run, otherwise the first that failed.
 * @throws Failure
 */
const createAll = async (ctx: StepContext, bodies: { [name: string]: string | string[] }[]): Promise<Result[]> => {
  const results: Result[] = []
  let firstFailure: Failure | undefined
  let ended: string | undefined
  for (const [at, body] of bodies.entries()) {
    const row = at + 1
    if (ended !== undefined) {
      results.push({ row, state: 'failed', reason: ended })
      continue
    }
    try {
      const isFollowed = row < bodies.length
      results.push(resultOf(row, await ctx.send({ method: 'POST', path: path`/1/cards`, body, followed: isFollowed })))
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      const isUnknown = isOutcomeUnknown(thrown) || isUnreadable(thrown)
      const message = `Row ${row}: ${thrown.message}`
      // Nothing was made for certain, so the run fails; the runtime looks for the card that it sent last.
      if (isUnknown && !results.some(({ state }) => state === 'created'))
        throw fail(thrown.code, `${message}${row < bodies.length ? ' The rows after it were not tried.' : ''}`, {
          ...thrown.details,
          mayHaveHappened: true,
        })
      firstFailure ??= fail(thrown.code, message, thrown.details)
      results.push({ row, state: isUnknown ? 'unknown' : 'failed', reason: thrown.message })
      if (endsChanges(thrown)) ended = `Not tried, because row ${row} failed: ${thrown.message}`
    }
    ctx.progress(row, bodies.length)
  }
  if (results.some(({ state }) => state === 'created')) return results
  throw firstFailure!
}

export default defineStep({
  id: 'create-cards',
  title: 'Create Cards',
  group: 'Many cards',
  purpose: `Creates up to ${mostCards} cards in a list in one run, one for each row of the input or of a CSV file, and reports the result of each.`,
  keywords: ['bulk create', 'import', 'batch', 'many tasks', 'rows', 'spreadsheet', 'CSV'],
  icon: 'card-add',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    keySets(
      z.strictObject({
        idBoard: boardRef('Board of the list; only narrows the choice of lists, labels and members.').optional(),
        idList: listId('Id of the list; Get Boards with lists "open" returns it.', 'List', 'The list of the cards.'),
        cards: z
          .array(newCard())
          .min(1)
          .max(mostCards)
          .optional()
          .meta({
            title: 'Cards',
            description: `The cards, 1 to ${mostCards}, in the order that they get in the list.`,
          }),
        file: fileRef(
          'File',
          `A CSV or JSONL file with a row for each card, at most ${mostCards}. Columns: name; description, due, start and address are read too. Dates need a time zone.`,
        )
          .optional()
          .meta({
            agentDescription: `Instead of cards: a CSV or JSONL file of at most ${mostCards} rows, { file: id of a stored file } or { name, base64 }. Columns: name, description, due, start, address.`,
          }),
        idLabels: idsOf(
          'label',
          'Labels',
          'Ids of labels that every card gets.',
          'Labels that every card gets.',
        ).optional(),
        idMembers: idsOf(
          'member',
          'Members',
          'Ids of members that every card gets.',
          'Members that every card gets.',
        ).optional(),
      }),
      [['cards'], ['file']],
      { exactlyOne: true },
    ),
  output,
  agentFields: ['total', 'created', 'problems', 'results.row', 'results.id', 'unusedColumns'],
  fields: {
    idBoard: boardScope,
    idList: { options: lists(onBoard), names: 'list' },
    cards: {
      row: {
        name: specs.name,
        desc: specs.description,
        due: specs.due,
        start: specs.start,
        urlSource: { placeholder: 'https://www.example.com/brief' },
      },
    },
    idLabels: { options: labels(ofList), names: 'label', dependsOn: ['idBoard'] },
    idMembers: { options: members(ofList), names: 'member', dependsOn: ['idBoard'] },
  },
  async run(ctx, { idBoard, idList, cards: listed = [], file, idLabels, idMembers }) {
    const { cards, unused } = file === undefined ? { cards: listed, unused: [] } : await readCards(ctx, file)
    await checkScopes(ctx, { kind: 'list', ref: idList }, [{ field: 'idBoard', names: 'board', ref: idBoard }])
    const results = await createAll(
      ctx,
      cards.map((card) => given({ ...card, idList, idLabels, idMembers })),
    )
    const problems = results.filter(({ state }) => state !== 'created')
    return {
      total: cards.length,
      created: cards.length - problems.length,
      problems,
      results,
      ...(unused.length > 0 ? { unusedColumns: unused } : {}),
    }
  },
})
