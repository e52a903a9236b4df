/** What an integration says of its examples: of what they deliver or find, and of the starts that follow. */
import { readdirSync, readFileSync } from 'node:fs'
import { sentenceText } from '#kit'
import type { Event, ExampleFile, Integration, Names, Sentence, TriggerExampleCase, TriggerExampleFile } from '#kit'
import { foundEvent } from '../../shared/runtime/triggers/admit.ts'
import { deliveredBody } from '../contract/delivered.ts'

export const nobody: Names = () => undefined

/** Names as learned before, by `kind:id`. */
export const learned =
  (names: Record<string, string>): Names =>
  ({ kind, id }) =>
    names[`${kind}:${id}`]

export type Told = { trigger: string; title: string; event: Event; start: Sentence | undefined }

const eventsOf = ({ webhooks }: Integration, trigger: string, { delivery, data, found = [] }: TriggerExampleCase) =>
  delivery === undefined
    ? found.map((item) => ({ event: foundEvent(trigger, item), data: item.data }))
    : data === null || data === undefined
      ? []
      : webhooks!.decode(deliveredBody(delivery), 'webhook').events.map((event) => ({ event, data }))

/** Each event that an example of a trigger starts an agent with, and the sentence of the start. */
export const startsOfExamples = (integration: Integration, folder: URL, names = nobody): Told[] =>
  readdirSync(folder)
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as TriggerExampleFile)
    .filter(({ trigger }) => trigger !== undefined)
    .flatMap(({ trigger, cases }) =>
      cases.flatMap((example) =>
        eventsOf(integration, trigger, example).map(({ event, data }) => {
          const { words } = integration
          const start = words?.describeStart?.[trigger]?.(data, names) ?? words?.describe(event, names)
          return { trigger, title: example.title, event, start }
        }),
      ),
    )

/** The sentence with what it names between asterisks, as a page shows it. */
export const shown = (sentence: Sentence | undefined): string | undefined =>
  sentence?.map((part) => (part.ref && !part.unnamed ? `*${part.text}*` : sentenceText([part]))).join('')

const stepFiles = (folder: URL) =>
  readdirSync(folder)
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as ExampleFile)
    .filter(({ step }) => step !== undefined)

/** The cases of the step examples that have an output. */
export const runsOfExamples = (folder: URL) =>
  stepFiles(folder).flatMap(({ step, cases }) =>
    cases
      .filter(({ output }) => output !== undefined)
      .map(({ title, input, output }) => ({ step, title, input, output })),
  )

/** The sentence of the first case of each step. */
export const firstRunSentences = ({ words }: Integration, folder: URL, names = nobody): Record<string, string> =>
  Object.fromEntries(
    runsOfExamples(folder)
      .reverse()
      .map(({ step, input, output }) => [step, shown(words!.describeRun!(step, input, output, names)) ?? '']),
  )

/** The config of a trigger's first example. */
export const configOf = (folder: URL, trigger: string): Record<string, unknown> =>
  (JSON.parse(readFileSync(new URL(`${trigger}.json`, folder), 'utf8')) as TriggerExampleFile).cases[0]!.config
