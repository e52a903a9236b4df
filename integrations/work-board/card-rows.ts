import { fail, failField, issueText, moment, webAddress, z } from '#kit'
import type { FieldError, FileRef, StepContext } from '#kit'
import { text } from './inputs.ts'

/** Rows from which cards are made. */

export const mostCards = 200
const mostErrors = 20

export const newCard = () =>
  z.strictObject({
    name: text('Name', 'Name of the card.', 1),
    desc: text('Description', 'Description in Markdown.').optional(),
    due: moment('Due', 'When the card is due.').optional(),
    start: moment('Start', 'When work on the card starts.').optional(),
    urlSource: webAddress('Address to attach', 'Web address to attach to the card.').optional(),
  })
export type NewCard = z.output<ReturnType<typeof newCard>>

/** The names that the column of each field may have. */
const columnNames = {
  name: ['name', 'card', 'title', 'card name'],
  desc: ['desc', 'description'],
  due: ['due', 'due date'],
  start: ['start', 'start date'],
  urlSource: ['urlSource', 'address', 'address to attach', 'link', 'url'],
} satisfies Record<keyof NewCard, string[]>

/**
 * Reads all cards of a file before the first is created. `unused`: the columns that are not read.
 * @throws Failure `invalid_input` naming the rows
 */
export const readCards = async (ctx: StepContext, file: FileRef): Promise<{ cards: NewCard[]; unused: string[] }> => {
  const { rows, columns, unused } = await ctx.rows(file, { fields: columnNames, most: mostCards })
  if (columns['name'] === undefined)
    throw failField(
      'file',
      'The file has no column for the names of the cards. Call it "name"; the other columns that are read are "description", "due", "start" and "address".',
    )
  if (rows.length === 0) throw failField('file', 'The file has no rows below its first line. Give a row for each card.')
  const card = newCard()
  const cards: NewCard[] = []
  const errors: FieldError[] = []
  for (const [at, row] of rows.entries()) {
    const parsed = card.safeParse(row, { reportInput: true })
    if (parsed.success) cards.push(parsed.data)
    for (const issue of parsed.error?.issues ?? []) {
      const field = String(issue.path[0] ?? '')
      errors.push({ pointer: '/file', message: `Row ${at + 1}, "${columns[field] ?? field}": ${issueText(issue)}` })
    }
  }
  const [first] = errors
  if (first === undefined) return { cards, unused }
  const more = errors.length > 1 ? ` ${errors.length - 1} more values are wrong.` : ''
  throw fail('invalid_input', `${first.message}${more} No card was created.`, { errors: errors.slice(0, mostErrors) })
}
