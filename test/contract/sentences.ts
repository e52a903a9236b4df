import { maxPartLength, sentenceText } from '#kit'
import type { Event, ExampleCase, Sentence, TriggerExampleCase } from '#kit'
import { foundEvent } from '../../shared/runtime/triggers/admit.ts'
import { deliveredBody } from './delivered.ts'
import type { Subject } from './structure.ts'

const nobody = () => undefined

/** What is wrong with a sentence; empty when nothing is. */
const flawsOf = (sentence: Sentence | undefined): string[] => {
  if (sentence === undefined || sentence.length === 0) return ['has no sentence']
  const text = sentenceText(sentence)
  return [
    ...(sentence.some((part) => part.text.length > maxPartLength)
      ? [`has a part of more than ${maxPartLength} characters; namePart, quotePart and valuePart shorten theirs`]
      : []),
    ...(/[\n\r]/.test(text) ? ['has a line break'] : []),
    ...(text.endsWith('.') ? ['ends with a full stop'] : []),
    ...sentence.flatMap(({ text: shown, ref }) => (ref && shown === ref.id ? [`says the id "${ref.id}"`] : [])),
    ...(/undefined|\[object /.test(text) ? [`says "${text}"`] : []),
  ]
}

const eventsOf = ({ integration }: Subject, trigger: string, exampleCase: TriggerExampleCase): Event[] => {
  const { delivery, data, found = [] } = exampleCase
  if (delivery === undefined) return found.map((item) => foundEvent(trigger, item))
  return data === null ? [] : integration.webhooks!.decode(deliveredBody(delivery), 'webhook').events
}

const wordsFile = ({ integration }: Subject) => `integrations/${integration.id}/words.ts`
const eventsFile = ({ integration }: Subject) => `integrations/${integration.id}/events.ts`

/** What is wrong with the sentences of a trigger's example; none where the integration has no words. */
export const triggerSentenceProblems = (subject: Subject, trigger: string, exampleCase: TriggerExampleCase): string[] =>
  eventsOf(subject, trigger, exampleCase).flatMap((event) =>
    flawsOf(subject.integration.words?.describe(event, nobody)).map(
      (flaw) =>
        `${subject.integration.id}, trigger ${trigger}: the event of the example "${exampleCase.title}" (${event.type}) ${flaw}; correct \`sentence\` of its kind in ${eventsFile(subject)}.`,
    ),
  )

/** What is wrong with the sentence of a step's example that succeeds. */
export const stepSentenceProblems = (subject: Subject, step: string, exampleCase: ExampleCase): string[] => {
  const { title, input, output, failure } = exampleCase
  if (failure !== undefined) return []
  return flawsOf(subject.integration.words?.describeRun?.(step, input, output, nobody)).map(
    (flaw) =>
      `${subject.integration.id}, step ${step}: the run of the example "${title}" ${flaw}; correct \`describeRun\` in ${wordsFile(subject)}.`,
  )
}
