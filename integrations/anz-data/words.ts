import { describeEndpoints, describeLookup, describeRecordCall, describeRecordSearch, namesOfRecords } from '#kit'
import type { Names, Sentence, Words } from '#kit'
import { describePlan } from './plans.ts'

type Describe = (output: unknown, names: Names, input: Record<string, unknown>) => Sentence

/** What a run of each step has done. */
const runs: Record<string, Describe> = {
  'people-enrichment': (output, names) => describeLookup('person', output, names),
  'people-search': (output) => describeRecordSearch('person', output),
  'company-enrichment': (output, names) => describeLookup('company', output, names),
  'api-call': (output, _, input) => describeRecordCall(input, output),
  'find-endpoints': describeEndpoints,
}

/** What the data provider's steps have done, in words; it reports no events. */
export const words: Words = {
  describe: () => undefined,
  describeRun: (step, input, output, names) =>
    Object.hasOwn(runs, step) ? runs[step]!(output, names, input) : undefined,
  describePlan,
  namesInRun: (step, _, output) => namesOfRecords(step === 'company-enrichment' ? 'company' : 'person', output),
}
