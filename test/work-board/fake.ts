import { integrations } from '../../integrations/index.ts'
import type { Failure, OptionPage, PdfText, ProviderRequest, Step, StepContext } from '#kit'

/** What the fake board answers to a request; a function decides by the request, a list answers in turn. */
export type Answers = unknown[] | ((request: ProviderRequest, index: number) => unknown)

/** A context whose `send` records requests and answers from memory. Nothing else of a context is there to be used. */
export const fakeContext = (answers: Answers) => {
  const sent: ProviderRequest[] = []
  const progress: number[] = []
  const unused = (name: string) => () => {
    throw new Error(`a step of this integration does not use ctx.${name}`)
  }
  const ctx: StepContext = {
    async send(request) {
      sent.push(request)
      const index = sent.length - 1
      if (typeof answers === 'function') return answers(request, index)
      if (index >= answers.length) throw new Error(`unexpected request ${index + 1}: ${request.method} ${request.path}`)
      return answers[index]
    },
    exchange: unused('exchange'),
    ask: unused('ask'),
    lookup: unused('lookup'),
    lookupMany: unused('lookupMany'),
    search: unused('search'),
    charged: () => 0,
    file: unused('file'),
    rows: unused('rows'),
    async pdf(request) {
      sent.push(request)
      if (typeof answers === 'function') return answers(request, sent.length - 1) as PdfText
      return answers[sent.length - 1] as PdfText
    },
    async save(request) {
      sent.push(request)
      return { file: 'fil_1', name: 'x', mediaType: 'text/plain', size: 1, sha256: '', expiresAt: '' }
    },
    signal: new AbortController().signal,
    now: () => Date.parse('2026-02-01T00:00:00Z'),
    progress: (done) => progress.push(done),
  }
  return { ctx, sent, progress }
}

export const workBoard = integrations.find(({ id }) => id === 'work-board')!

export const stepOf = (id: string): Step => {
  const boardStep = workBoard.steps.find((step) => step.id === id)
  if (!boardStep) throw new Error(`no step ${id}`)
  return boardStep
}

/** Parses the input as the runtime does, runs the step, parses the output. */
export const runStep = async (id: string, input: Record<string, unknown>, answers: Answers) => {
  const step = stepOf(id)
  const { ctx, sent, progress } = fakeContext(answers)
  const output = step.output.parse(await step.run(ctx, step.input.parse(input), [])) as Record<string, unknown>
  return { output, sent, progress }
}

/** The messages an input is refused with, by field; {} when it is fine. */
export const refusals = (id: string, input: Record<string, unknown>): Record<string, string> => {
  const parsed = stepOf(id).input.safeParse(input, { reportInput: true })
  const messages = Map.groupBy(parsed.error?.issues ?? [], ({ path }) => path.join('.'))
  return Object.fromEntries(
    [...messages].map(([field, issues]) => [field, issues.map(({ message }) => message).join(' ')]),
  )
}

export const loadOptions = async (
  id: string,
  field: string,
  request: { values?: Record<string, unknown>; query?: string; cursor?: string },
  answers: Answers,
): Promise<{ page: OptionPage; sent: ProviderRequest[] }> => {
  const source = stepOf(id).fields?.[field]?.options
  if (!source) throw new Error(`${id}.${field} has no options`)
  const { ctx, sent } = fakeContext(answers)
  const page = await source(ctx, {
    values: request.values ?? {},
    query: request.query ?? '',
    ...(request.cursor === undefined ? {} : { cursor: request.cursor }),
  })
  return { page, sent }
}

/** Ids of 24 hexadecimal characters that grow with `n`, as the board's do with time. */
export const idOf = (n: number) => `68e4c1a0${n.toString(16).padStart(16, '0')}`

export const ids = {
  board: idOf(1),
  otherBoard: idOf(2),
  list: idOf(11),
  otherList: idOf(12),
  card: idOf(21),
  otherCard: idOf(22),
  checklist: idOf(31),
  label: idOf(41),
  member: idOf(51),
  attachment: idOf(61),
}

/** The failure with which a run ends. */
export const failureOf = async (run: Promise<unknown>): Promise<Failure> => {
  try {
    await run
  } catch (thrown) {
    return thrown as Failure
  }
  throw new Error('it did not fail')
}
