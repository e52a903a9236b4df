import { failField, fromFailureJson } from '#kit'
import type { FailureJson } from '#kit'
import type { Caller } from '../ports/index.ts'
import type { NewList } from '../../api/resources/people-list.ts'
import type { ListDependencies } from './parts.ts'
import { createCollector } from './read-rows.ts'
import type { ListContent } from './read-rows.ts'

export type StepDependencies = Pick<ListDependencies, 'registry' | 'run'>
type ListStep = NonNullable<NewList['step']>

/** More pages would take too long: a page should have at least a hundredth of a full list. */
const maxPages = 100

/** @throws Failure `invalid_input` for a step from which no list can be made */
const sourceOf = ({ registry }: StepDependencies, { integration, step: id }: ListStep) => {
  const { listSource } = registry.step(integration, id).step
  if (listSource) return listSource
  const sources = registry.all.flatMap(({ integration: { id: of }, steps }) =>
    [...steps.values()].filter(({ step }) => step.listSource).map(({ step }) => `${of}/${step.id}`),
  )
  throw failField(
    'step/step',
    `No list can be made from ${integration}/${id}. Use one of: ${sources.join(', ')}; or give the run of a search.`,
  )
}

/** Moves problems with fields of the step to where the request for the list has them. */
const failureOf = ({ errors, ...failure }: FailureJson) =>
  fromFailureJson({
    ...failure,
    ...(errors && { errors: errors.map((error) => ({ ...error, pointer: `/step/input${error.pointer}` })) }),
  })

const nextOf = (output: unknown) => (output as { next?: string } | null)?.next

/**
 * The rows of the outputs of a step, which is run page by page. @throws Failure `invalid_input`, `too_large`; that of a
 * run which failed
 */
export const readStepRows = async (
  parts: StepDependencies,
  caller: Caller,
  listStep: ListStep,
  kind: 'person' | 'company',
): Promise<ListContent> => {
  const source = sourceOf(parts, listStep)
  const collector = createCollector('step')
  let { input } = listStep
  for (let page = 0; page < maxPages; page += 1) {
    const outcome = await parts.run(caller, { ...listStep, input })
    if (!outcome.ok) throw failureOf(outcome.failure)
    for (const row of source.rows(outcome.value, kind)) collector.add(row)
    const next = nextOf(outcome.value)
    if (next === undefined) return collector.rows()
    input = { ...input, cursor: next }
  }
  throw failField(
    'step/input',
    `The step has more than ${maxPages} pages. Raise its page size, or narrow what it reads.`,
    'too_large',
  )
}
