import { boundedText, defineStep, fail, path, readRows, textOf, z } from '#kit'
import type { Row } from '#kit'
import { boardOrDefault } from '../inputs.ts'
import { boards } from '../options.ts'
import { cardFields, cards } from '../records.ts'

/** The most cards that the board returns in one response. */
const most = 1000
const requestedFields = 'name,desc,due,start,dueComplete,closed,idBoard,idList,idLabels,idMembers,url'
const same = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()

/** The value of a card's custom field as people see it; undefined when the card has none. */
const shown = (card: Row, field: Row): string | undefined => {
  const items = Array.isArray(card.customFieldItems) ? (card.customFieldItems as Row[]) : []
  const item = items.find((candidate) => candidate.idCustomField === field.id)
  if (!item) return undefined
  if (typeof item.idValue === 'string') {
    const chosen = (Array.isArray(field.options) ? (field.options as Row[]) : []).find(
      (option) => option.id === item.idValue,
    )
    return chosen && textOf((chosen.value ?? {}) as Row, 'text')
  }
  const [value] = Object.values((item.value ?? {}) as Record<string, unknown>)
  return typeof value === 'string' ? value : undefined
}

const findFieldByName = (fields: Row[], name: string): Row => {
  const matchingFields = fields.filter(
    (customField) => customField.id === name || same(textOf(customField, 'name'), name),
  )
  const [field] = matchingFields
  if (field && matchingFields.length === 1) return field
  const names = fields.map((customField) => `"${textOf(customField, 'name')}"`).join(', ') || 'none'
  throw fail(
    'invalid_input',
    `${matchingFields.length === 0 ? 'No custom field' : 'More than one custom field'} of the board is named "${name}". It has: ${names}.`,
  )
}

export default defineStep({
  id: 'find-card',
  title: 'Find Card',
  group: 'Search',
  purpose:
    'Finds the cards of a board with exactly this name, or this value in a custom field, and says whether there is none, one or several.',
  keywords: ['by name', 'lookup card', 'custom field value', 'card id', 'exists'],
  icon: 'card',
  oauthScopes: ['read'],
  effect: 'read',
  input: () =>
    z
      .strictObject({
        idBoard: boardOrDefault(),
        name: boundedText('Name', 'Exact name of the card; upper and lower case do not matter.', {
          min: 1,
          max: 16384,
          by: 'the board',
        }).optional(),
        customField: boundedText(
          'Custom field',
          'Name or id of a custom field, instead of a name or together with one.',
          {
            min: 1,
            max: 300,
            by: 'the board',
          },
        ).optional(),
        value: boundedText(
          'Value',
          'Exact value of the custom field: text, number, true or false, a date as the board stores it, or the name of an option.',
          {
            min: 1,
            max: 16384,
            by: 'the board',
          },
        ).optional(),
        archived: z
          .boolean()
          .default(false)
          .meta({ title: 'Archived too', description: 'Whether to include archived cards.' }),
      })
      .refine(({ name, customField }) => name !== undefined || customField !== undefined, {
        error: 'Give name, or customField and value.',
      })
      .refine(({ customField, value }) => (customField === undefined) === (value === undefined), {
        error: 'customField and value go together: give both or neither.',
      }),
  output: () =>
    z.object({
      found: z.enum(['none', 'one', 'several']).meta({ description: 'How many cards there are.' }),
      cards: cards('The cards found, the newest created first.'),
      searched: z.int().meta({ description: 'How many cards were compared.' }),
    }),
  agentFields: ['found', ...cardFields.map((name) => `cards.${name}`)],
  container: 'idBoard',
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    name: { placeholder: 'Call the client back' },
    customField: { placeholder: 'Order number' },
    value: { showWhen: { field: 'customField' } },
  },
  async run(ctx, { idBoard, name, customField, value, archived }) {
    const field =
      customField === undefined
        ? undefined
        : findFieldByName(
            readRows(await ctx.send({ method: 'GET', path: path`/1/boards/${idBoard}/customFields` }), 'custom fields'),
            customField,
          )
    const hits: Row[] = []
    let searched = 0
    let before: string | undefined
    for (;;) {
      const query = {
        filter: archived ? 'all' : 'open',
        fields: requestedFields,
        limit: most,
        ...(field ? { customFieldItems: true } : {}),
        ...(before === undefined ? {} : { before }),
      }
      const page = readRows(await ctx.send({ method: 'GET', path: path`/1/boards/${idBoard}/cards`, query }), 'cards')
      searched += page.length
      for (const card of page) {
        if (name !== undefined && !same(textOf(card, 'name'), name)) continue
        const its = field && shown(card, field)
        if (field && (its === undefined || !same(its, value!))) continue
        hits.push(card)
      }
      ctx.progress(searched)
      if (page.length < most) break
      before = page.reduce((oldest, card) => (card.id < oldest ? card.id : oldest), page[0]!.id)
    }
    hits.sort((a, b) => (a.id < b.id ? 1 : -1))
    return { found: hits.length === 0 ? 'none' : hits.length === 1 ? 'one' : 'several', cards: hits, searched }
  },
})
