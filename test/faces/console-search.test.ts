import { describe, expect, test } from 'vitest'
import { search } from '../../shared/faces/console/pages/picker/search.ts'

const entry = (title: string, keywords: string[] = [], ...texts: string[]) => ({ title, keywords, texts })
const all = [
  entry('Create Issue', ['task', 'ticket', 'e-mail finder'], 'Makes an issue in a project.'),
  entry('Get Issue', ['read', 'details'], 'Reads one issue.'),
  entry('Search Companies', ['ideal customer', 'organisation'], 'Finds companies, with a café filter.'),
]
const searchTitles = (query: string) => search(all, query).map(({ title }) => title)

describe('Search of the picker', () => {
  test('without a query all, in their order', () => {
    expect(searchTitles('  ')).toEqual(all.map(({ title }) => title))
  })
  test.each([
    ['ticket', ['Create Issue']],
    ['ISSUES', ['Create Issue', 'Get Issue']],
    ['iss', ['Create Issue', 'Get Issue']],
    ['read issue', ['Get Issue']],
    ['company', ['Search Companies']],
    ['cafe', ['Search Companies']],
    ['e-mail', ['Create Issue']],
    ['(.*', []],
    ['nowhere', []],
    // No entry has both words.
    ['new ticket', ['Create Issue']],
  ])('%s', (query, titles) => {
    expect(searchTitles(query)).toEqual(titles)
  })
  test('a title comes before a keyword, and a keyword before a purpose', () => {
    const three = [entry('Third', [], 'a word'), entry('Second', ['word']), entry('Word')]
    expect(search(three, 'word').map(({ title }) => title)).toEqual(['Word', 'Second', 'Third'])
  })
})
