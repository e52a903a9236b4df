import { failField } from '#kit'
import type { ToolSet } from '#kit'
import type { LoadedIntegration, LoadedStep } from './registry.ts'

/** The set that is listed by default. */
export const coreSet = 'core'
const everySet = 'all'

const replaced = ({ step }: LoadedStep) => step.legacy !== undefined || step.deprecated !== undefined

/**
 * The tool sets of an integration, `core` first and `all` last. Without declared sets, `core` holds every step that has
 * no replacement.
 */
export const toolSetsOf = ({ integration, steps }: LoadedIntegration): ToolSet[] => {
  const every = [...steps.values()].filter((loadedStep) => !replaced(loadedStep)).map(({ step }) => step.id)
  const declared = integration.toolSets ?? [
    { id: coreSet, title: 'Core', purpose: `The steps of ${integration.title}.`, steps: every },
  ]
  return [
    ...declared,
    { id: everySet, title: 'All', purpose: 'Every step except those that another step has replaced.', steps: every },
  ]
}

const namesOf = (all: LoadedIntegration[]) => [
  ...new Set(all.flatMap((loaded) => toolSetsOf(loaded).map(({ id }) => id))),
]

/** @throws Failure `invalid_input` for a set that none of these integrations has */
export const requireToolSet = (all: LoadedIntegration[], set: string, field = 'set'): void => {
  const names = namesOf(all)
  if (!names.includes(set))
    throw failField(field, `There is no tool set "${set.slice(0, 64)}". There are: ${names.join(', ')}.`)
}

/** Whether a step is in the named set; false when its integration has no such set. */
export const isInToolSet = ({ loaded, step }: LoadedStep, set: string): boolean =>
  toolSetsOf(loaded)
    .find(({ id }) => id === set)
    ?.steps.includes(step.id) ?? false

/** Whether a step is shown to agents. A step with a replacement can still be run, but is not shown. */
export const isOffered = (loadedStep: LoadedStep): boolean => !replaced(loadedStep)
