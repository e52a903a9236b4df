import { expect, test } from 'vitest'
import { cardRows } from '../../integrations/work-board/card-people.ts'

const url = 'https://trello.com/c/GUiZXeZo'
const rowsOf = (kind: 'person' | 'company', ...cards: [name: string, desc?: string][]) =>
  cardRows({ cards: cards.map(([name, desc], at) => ({ id: String(at), name, desc, url })) }, kind)

test('a card is a company: its title is the name, the first web address its domain', () => {
  expect(
    rowsOf(
      'company',
      ['Example Ltd', 'See [their site](https://www.shop.example.com.au/about), or https://example.org.'],
      ['Quill & Sons', `Card ${url}, https://www.linkedin.com/company/quill-sons/about and www.quill.example.`],
      ['https://example.com'],
      ['Only a name', 'ada@example.com, readme.md'],
      [' '],
    ),
  ).toEqual([
    { name: 'Example Ltd', domain: 'example.com.au', card: url },
    {
      name: 'Quill & Sons',
      domain: 'quill.example',
      linkedin: 'https://www.linkedin.com/company/quill-sons',
      card: url,
    },
    { name: 'https://example.com', domain: 'example.com', card: url },
    { name: 'Only a name', card: url },
  ])
})

test('a card is a person where it has an e-mail address or a LinkedIn profile', () => {
  expect(
    rowsOf(
      'person',
      ['Ada Example', 'Write to <Ada@Example.com>, or ben@example.com.'],
      ['Ben', '"https://au.linkedin.com/in/ben-example?trk=x"'],
      ['Mail mailto:cleo@example.com'],
      ['Nobody', 'https://example.com/@nobody and https://www.linkedin.com/company/example'],
    ),
  ).toEqual([
    { fullName: 'Ada Example', email: 'Ada@example.com', card: url },
    { fullName: 'Ben', linkedinUrl: 'https://www.linkedin.com/in/ben-example', card: url },
    { fullName: 'Mail mailto:cleo@example.com', email: 'cleo@example.com', card: url },
  ])
})

test('long descriptions without an address take little time', () => {
  expect(rowsOf('person', ['Long', '@.'.repeat(8_000)], ['Long', 'www.'.repeat(4_000)])).toEqual([])
})
