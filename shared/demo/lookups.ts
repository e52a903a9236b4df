import { broken } from './stage.ts'
import type { Chapter } from './stage.ts'

type LookupOutput = { matched: boolean; matchedBy?: string; record?: Record<string, unknown> }
type Card = { id: string; name: string; url: string; desc: string }

const text = (lookup: LookupOutput, field: string) => String(lookup.record?.[field] ?? '')

/**
 * The chapter about lookups: both data providers, then the board. It finds one person, then her employer by its
 * business number, and notes the result on a card.
 */
export const lookups: Chapter = {
  title: 'Who is this? Lookups that cost credits',
  async play(stage) {
    const email = 'mirrin.alcott@wattlebird-freight.example'
    const price = await stage.price('What would it cost to look her up?', 'anz-data/people-enrichment', { email })
    stage.say(`    → ${price}; nothing was sent`)
    const person = await stage.step<LookupOutput>(
      'Look up a person by e-mail',
      'anz-data/people-enrichment',
      { email },
      (lookup) =>
        lookup.matched
          ? `${text(lookup, 'fullName')}, ${text(lookup, 'jobTitle')} (matched by ${lookup.matchedBy})`
          : broken('nobody was found'),
    )
    await stage.refused(
      'Look up her employer by a mistyped business number',
      'anz-data/company-enrichment',
      { abn: '12345678901' },
      'invalid_input',
    )
    const company = await stage.step<LookupOutput>(
      'And by the right one',
      'anz-data/company-enrichment',
      { abn: '71 973 100 006' },
      (lookup) =>
        lookup.matched
          ? `${text(lookup, 'name')} (matched by ${lookup.matchedBy})`
          : broken('the company was not found'),
    )
    await stage.step<LookupOutput>(
      'Somebody nobody knows, at the other provider',
      'contact-data/find-contact',
      { email: 'nobody@unknown-street.example' },
      (lookup) =>
        lookup.matched ? broken('somebody was found who does not exist') : 'no match; that is a result, not a failure',
    )
    const { boards } = await stage.step<{ boards: { name: string; lists: { id: string; name: string }[] }[] }>(
      'Where can it be stored?',
      'work-board/get-boards',
      { fields: 'name', lists: 'open' },
      (result) => result.boards.map(({ name }) => `"${name}"`).join(', '),
    )
    const name = `Call ${text(person, 'fullName')} of ${text(company, 'name')}`
    const card = await stage.step<Card>(
      'Keep it on a card',
      'work-board/create-card',
      { idList: boards[0]!.lists[0]!.id, name, desc: text(person, 'jobTitle') },
      (made) => (made.name === name ? `"${made.name}"` : broken('the card has another name')),
    )
    const spent = (await stage.parts.pack.runs.usage(stage.parts.caller, 1)).reduce((sum, row) => sum + row.credits, 0)
    if (spent <= 0) broken('the lookups are said to have cost nothing')
    stage.say(`\n  The lookups cost ${spent} credits, as the providers said; the card is at ${card.url}.`)
  },
}
