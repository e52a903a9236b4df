import { say } from '#kit'
import type { Sentence, Words } from '#kit'
import type { Item } from './records.ts'

const runs: Record<string, (output: unknown) => Sentence> = {
  'api-call': () => say`Called an endpoint of the provider`,
  'list-items': (output) => say`Read ${String((output as { items: Item[] }).items.length)} items`,
}

/** What runs have done, as people read it: one sentence, without a full stop. */
export const words: Partial<Words> = {
  describeRun: (step, _, output) => (Object.hasOwn(runs, step) ? runs[step]!(output) : undefined),
}
