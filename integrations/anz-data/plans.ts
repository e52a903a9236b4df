import { say, valuePart } from '#kit'
import type { Sentence } from '#kit'

type Input = Record<string, unknown>

/** Who or what is looked up, by the first of the fields that is given. */
const looked = (noun: string, input: Input, fields: string[]): Sentence => {
  const text = fields.map((field) => input[field]).find((value) => typeof value === 'string' && value !== '')
  return text === undefined
    ? say`look up a ${noun}`
    : say`look up the ${noun} ${{ ...valuePart(text as string), role: 'what' }}`
}

/** What a run of each step would do, as it follows "wants to". */
const plans: { [step: string]: (input: Input) => Sentence } = {
  'people-enrichment': (input) => looked('person', input, ['email', 'linkedinUrl', 'linkedinSlug']),
  'company-enrichment': (input) => looked('company', input, ['domain', 'abn', 'website', 'linkedin']),
  'people-search': () => say`search for people`,
}

export const describePlan = (step: string, input: Input): Sentence | undefined => plans[step]?.(input)
