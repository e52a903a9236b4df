import { say, valuePart } from '#kit'
import type { Sentence } from '#kit'

type Input = Record<string, unknown>

const textsOf = (input: Input, fields: string[]) =>
  fields.map((field) => input[field]).filter((value) => typeof value === 'string' && value !== '') as string[]
const countOf = (value: unknown, noun: string, nouns: string) => {
  const count = Array.isArray(value) ? value.length : 0
  return `${count} ${count === 1 ? noun : nouns}`
}

/** Who or what is looked up, by the first of these that is given. */
const looked = (noun: string, ...choices: string[][]): Sentence => {
  const [text] = choices.filter((texts) => texts.length > 0).map((texts) => texts.join(' '))
  return text === undefined ? say`look up a ${noun}` : say`look up the ${noun} ${{ ...valuePart(text), role: 'what' }}`
}

/** What a run of each step would do, as it follows "wants to". */
const plans: { [step: string]: (input: Input) => Sentence } = {
  'find-contact': (input) =>
    looked(
      'person',
      textsOf(input, ['firstName', 'lastName']),
      textsOf(input, ['email']),
      textsOf(input, ['linkedinUrl']),
    ),
  'find-company': (input) => looked('company', textsOf(input, ['name']), textsOf(input, ['domain'])),
  'enrich-contacts': ({ contacts }) => say`look up ${countOf(contacts, 'person', 'people')}`,
  'enrich-companies': ({ companies }) => say`look up ${countOf(companies, 'company', 'companies')}`,
  'reveal-contacts': ({ personIds }) => say`reveal how to reach ${countOf(personIds, 'person', 'people')}`,
  'reveal-companies': ({ companyIds }) => say`reveal ${countOf(companyIds, 'company', 'companies')}`,
  'score-contacts': ({ contacts }) => say`score ${countOf(contacts, 'person', 'people')}`,
  'score-companies': ({ companies }) => say`score ${countOf(companies, 'company', 'companies')}`,
  'get-contact-signals': ({ personIds }) => say`read the signals of ${countOf(personIds, 'person', 'people')}`,
  'get-company-signals': ({ companyIds }) => say`read the signals of ${countOf(companyIds, 'company', 'companies')}`,
  'list-filter-values': () => say`list the values of a filter`,
  'find-lookalike-contacts': () => say`search for similar people`,
  'find-lookalike-companies': () => say`search for similar companies`,
  'find-buying-group': (input) => looked('buying group', textsOf(input, ['domain']), textsOf(input, ['companyId'])),
  'get-website-visits': ({ domains }) => say`list the visitors of ${countOf(domains, 'website', 'websites')}`,
  'search-and-enrich-contacts': ({ limit }) =>
    say`search for people and reveal how to reach up to ${`${Number(limit)}`}`,
  'search-and-enrich-companies': ({ limit }) => say`search for companies and reveal up to ${`${Number(limit)}`}`,
  'search-contacts': () => say`search for people`,
  'search-companies': () => say`search for companies`,
}

export const describePlan = (step: string, input: Input): Sentence | undefined => plans[step]?.(input)
