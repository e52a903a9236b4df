import { moment, readRows, z } from '#kit'
import type { Path, StepContext } from '#kit'
import { cursorOf } from './inputs.ts'
import { actions } from './records.ts'
import { typesField } from './watch-fields.ts'

/** The history of a card or a board: what the steps that read it share. */

/** The most actions that the board returns in one response. */
const pageMax = 1000
/** How many pages a run reads while it looks for the actions of a person. */
const pages = 5

export const activityInput = () => ({
  types: z
    .array(z.string().regex(/^[A-Za-z]+(:[A-Za-z]+)?$/))
    .min(1)
    .max(50)
    .optional()
    .meta({
      title: 'Types',
      description: 'Kinds of activity; all by default.',
      agentDescription: 'Kinds of actions, such as commentCard or updateCard:idList (moves); all by default.',
    }),
  since: moment('Since', 'Only what happened after this.').optional(),
  limit: z.int().min(1).max(1000).default(50).meta({ title: 'Limit', description: 'Maximum number of actions.' }),
  cursor: cursorOf('action').optional(),
})

export const activityOutput = () =>
  z.object({
    actions: actions(
      'The actions, newest first. Changes of labels and checklist items are not among them: the board keeps no history of these.',
    ),
    count: z.int().meta({ description: 'How many are in this answer.' }),
    next: z.string().optional().meta({ description: 'Give it as cursor to get those before. Absent at the end.' }),
  })

export const activityAgentFields = [
  ...['id', 'type', 'date', 'data', 'memberCreator.id', 'memberCreator.fullName'].map((name) => `actions.${name}`),
  'count',
  'next',
]

export const activityFields = {
  since: { placeholder: '2026-03-01T00:00:00Z' },
  types: { ...typesField, rare: true as const },
}

type Wanted = {
  types?: string[] | undefined
  since?: string | undefined
  limit: number
  cursor?: string | undefined
}

const readPage = async (ctx: StepContext, at: Path, { types, since, limit, cursor }: Wanted) => {
  const query = {
    filter: types?.join(',') ?? 'all',
    limit,
    ...(since === undefined ? {} : { since }),
    ...(cursor === undefined ? {} : { before: cursor }),
  }
  const rows = readRows(await ctx.send({ method: 'GET', path: at, query }), 'actions')
  // A full page may be followed by another; the board does not say.
  return { rows, next: rows.length === limit ? rows.at(-1)?.id : undefined }
}

const activityOf = (rows: unknown[], next: string | undefined) => ({
  actions: rows,
  count: rows.length,
  ...(next === undefined ? {} : { next }),
})

export const readActivity = async (ctx: StepContext, at: Path, wanted: Wanted) => {
  const { rows, next } = await readPage(ctx, at, wanted)
  return activityOf(rows, next)
}

/**
 * The actions of one person. The board does not select them, so whole pages are read until there are `limit`, at most
 * five; `next` is where the reading stopped.
 */
export const readActivityOf = async (ctx: StepContext, idMember: string, at: Path, wanted: Wanted) => {
  const theirs: unknown[] = []
  let cursor = wanted.cursor
  for (let page = 0; page < pages; page += 1) {
    const { rows, next } = await readPage(ctx, at, { ...wanted, limit: pageMax, cursor })
    for (const row of rows) {
      if (row['idMemberCreator'] !== idMember) continue
      theirs.push(row)
      if (theirs.length === wanted.limit) return activityOf(theirs, row.id === rows.at(-1)?.id ? next : row.id)
    }
    cursor = next
    if (next === undefined) break
  }
  return activityOf(theirs, cursor)
}
