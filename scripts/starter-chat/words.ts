import { namePart, say } from '#kit'
import type { Names, Sentence, Words } from '#kit'
import type { Message } from './records.ts'

const inChannel = (input: unknown, names: Names) =>
  namePart('where', { kind: 'channel', id: (input as { channel: string }).channel }, 'a channel', names)

const runs: Record<string, (input: unknown, output: unknown, names: Names) => Sentence> = {
  'api-call': () => say`Called an endpoint of the provider`,
  'send-message': (input, _, names) => say`Wrote in ${inChannel(input, names)}`,
  'list-messages': (input, output, names) =>
    say`Read ${String((output as { messages: Message[] }).messages.length)} messages of ${inChannel(input, names)}`,
}

/** What runs have done, as people read it: one sentence, without a full stop. */
export const words: Partial<Words> = {
  describeRun: (step, input, output, names) =>
    Object.hasOwn(runs, step) ? runs[step]!(input, output, names) : undefined,
}
