import {
  describeEndpoints,
  describeLookup,
  describeMany,
  describeRecordCall,
  describeRecordSearch,
  namesOfRecords,
  say,
} from '#kit'
import type { Names, Sentence, Words } from '#kit'
import { describePlan } from './plans.ts'

type Describe = (output: unknown, names: Names, input: Record<string, unknown>) => Sentence

const describeUsage: Describe = (output) => {
  const { usage } = (output ?? {}) as { usage?: { creditsRemaining?: unknown } }
  const remaining = usage?.creditsRemaining
  return typeof remaining === 'number'
    ? say`Read the usage of the account: ${`${remaining} credits are left`}`
    : say`Read the usage of the account`
}

const describeValues: Describe = (output) => {
  const { total = 0 } = (output ?? {}) as { total?: number }
  return say`Listed ${`${total} ${total === 1 ? 'value' : 'values'}`} of a filter`
}

/** What a run of each step has done. */
const runs: Record<string, Describe> = {
  'find-contact': (output, names) => describeLookup('person', output, names),
  'find-company': (output, names) => describeLookup('company', output, names),
  'enrich-contacts': (output) => describeMany('Enriched', 'person', output),
  'enrich-companies': (output) => describeMany('Enriched', 'company', output),
  'reveal-contacts': (output) => describeMany('Revealed', 'person', output),
  'reveal-companies': (output) => describeMany('Revealed', 'company', output),
  'find-lookalike-contacts': (output) => describeRecordSearch('person', output),
  'find-lookalike-companies': (output) => describeRecordSearch('company', output),
  'find-buying-group': (output) => describeRecordSearch('person', output),
  'get-website-visits': (output) => describeRecordSearch('company', output),
  'score-contacts': (output) => describeMany('Scored', 'person', output),
  'score-companies': (output) => describeMany('Scored', 'company', output),
  'get-contact-signals': (output) => describeMany('Read the signals of', 'person', output),
  'get-company-signals': (output) => describeMany('Read the signals of', 'company', output),
  'list-filter-values': describeValues,
  'search-and-enrich-contacts': (output) => describeMany('Searched and revealed', 'person', output),
  'search-and-enrich-companies': (output) => describeMany('Searched and revealed', 'company', output),
  'search-contacts': (output) => describeRecordSearch('person', output),
  'search-companies': (output) => describeRecordSearch('company', output),
  'account-usage': describeUsage,
  'api-call': (output, _, input) => describeRecordCall(input, output),
  'find-endpoints': describeEndpoints,
}
const ofCompanies = new Set([
  'find-company',
  'enrich-companies',
  'search-companies',
  'search-and-enrich-companies',
  'reveal-companies',
  'find-lookalike-companies',
  'score-companies',
  'get-company-signals',
  'get-website-visits',
])

/** What the data provider's steps have done, in words. */
export const words: Partial<Words> = {
  describeRun: (step, input, output, names) =>
    Object.hasOwn(runs, step) ? runs[step]!(output, names, input) : undefined,
  describePlan,
  namesInRun: (step, _, output) => namesOfRecords(ofCompanies.has(step) ? 'company' : 'person', output),
}
