import { namePart, say } from '#kit'
import type { Names, Sentence, Words } from '#kit'
import type { Item } from './records.ts'

type DescribeRun = (output: unknown, names: Names) => Sentence

const runs: Record<string, DescribeRun> = {
  'api-call': () => say`Called an endpoint of the provider`,
  'create-item': (output, names) => {
    const { id, name } = output as Item
    return say`Created ${namePart('what', { kind: 'item', id, name }, 'an item', names)}`
  },
  'list-items': (output) => {
    const { items } = output as { items: Item[] }
    return say`Read ${String(items.length)} items`
  },
}

/** What runs have done, as people read it: one sentence, without a full stop. */
export const words: Partial<Words> = {
  describeRun: (step, _, output, names) => (Object.hasOwn(runs, step) ? runs[step]!(output, names) : undefined),
}
